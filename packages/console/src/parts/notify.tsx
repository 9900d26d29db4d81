import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { errorText, requestIdOf } from './errors.js'

const nextMs = 8_000

/** Says that a change was made. */
export function notifyDone(text: string): void {
  notifications.show({ message: text, color: 'teal' })
}

/** Shows the error of a call that has no place on the page, such as an optimistic change. */
export function notifyError(error: unknown): void {
  const requestId = requestIdOf(error)
  const message = requestId === undefined ? errorText(error) : `${errorText(error)} (${requestId})`
  notifications.show({ message, color: 'red', autoClose: 10_000 })
}

/** Says that a change was made, and offers to undo it for eight seconds. */
export const notifyUndo = (text: string, undo: () => Promise<unknown>): void =>
  notifyNext(text, { label: 'Undo', run: undo, done: 'Undone.' })

interface Next {
  /** The verb on the button. */
  readonly label: string
  readonly run: () => Promise<unknown>
  /** What to say afterwards. */
  readonly done: string
}

/** Says that a change was made, and offers what most users do next, for eight seconds. */
export function notifyNext(text: string, { label, run, done }: Next): void {
  let isRun = false
  const id = notifications.show({
    color: 'teal',
    autoClose: nextMs,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          style={{ flexShrink: 0 }}
          onClick={() => {
            // The notification fades out: a double click must not run it twice.
            if (isRun) return
            isRun = true
            notifications.hide(id)
            run().then(() => notifyDone(done), notifyError)
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  })
}

import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { errorText, requestIdOf } from './errors.js'

const undoMs = 8_000

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
export function notifyUndo(text: string, undo: () => Promise<unknown>): void {
  const id = notifications.show({
    color: 'teal',
    autoClose: undoMs,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{text}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            undo().then(() => notifyDone('Undone.'), notifyError)
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}

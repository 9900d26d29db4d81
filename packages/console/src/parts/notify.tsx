import { Button, Group, Text } from '@mantine/core'
import { notifications, type NotificationData } from '@mantine/notifications'
import { errorText, requestIdOf } from './error-text.js'

const doneMs = 4_000
const nextMs = 8_000

/** The notice that the next one replaces. Errors are not replaced. */
let replaceable: string | undefined
/** The newest notice is on the page. Errors before it wait behind it until they are closed. */
let newest = 0

function show(notice: NotificationData): string {
  if (replaceable !== undefined) notifications.hide(replaceable)
  replaceable = undefined
  newest += 1
  return notifications.show({ priority: newest, withBorder: true, ...notice })
}

/** Says that a change was made. */
export function notifyDone(text: string): void {
  replaceable = show({ message: <Message>{text}</Message>, color: 'teal', autoClose: doneMs })
}

/** Shows the error of a call that has no place on the page, such as an optimistic change. It stays until the user closes it. */
export function notifyError(error: unknown): void {
  const requestId = requestIdOf(error)
  const text = errorText(error)
  // The same error again, such as without a network, is closed once.
  notifications.hide(text)
  const message = <Message>{requestId === undefined ? text : `${text} (${requestId})`}</Message>
  show({ id: text, message, color: 'red', autoClose: false })
}

/**
 * Says that a change was made, and offers to undo it for eight seconds, or longer while the notice has the pointer or the focus.
 * @param onEnd called when the offer ends without being taken: after its time, or because the notice was closed or replaced
 * @returns a function that ends the offer
 */
export const notifyUndo = (text: string, undo: () => Promise<unknown>, onEnd?: () => void): (() => void) =>
  notifyNext(text, { label: 'Undo', run: undo, done: 'Undone.', onEnd })

interface Next {
  /** The verb on the button. */
  readonly label: string
  readonly run: () => Promise<unknown>
  /** What to say afterwards, unless the page shows it. */
  readonly done?: string
  /** Called when the offer ends without being taken. */
  readonly onEnd?: (() => void) | undefined
}

/** Says that a change was made, and offers what most users do next, for eight seconds. @returns a function that ends the offer */
export function notifyNext(text: string, { label, run, done, onEnd }: Next): () => void {
  let isRun = false
  const start = async () => {
    // The notification fades out: a double click must not run it twice.
    if (isRun) return
    isRun = true
    notifications.hide(id)
    await run()
    if (done !== undefined) notifyDone(done)
  }
  const id = show({
    color: 'teal',
    autoClose: nextMs,
    onClose: () => {
      if (!isRun) onEnd?.()
    },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Message>{text}</Message>
        <Button
          size="compact-sm"
          variant="default"
          style={{ flexShrink: 0 }}
          onClick={() => void start().catch(notifyError)}
        >
          {label}
        </Button>
      </Group>
    ),
  })
  replaceable = id
  return () => notifications.hide(id)
}

const Message = ({ children }: { readonly children: string }) => (
  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
    {children}
  </Text>
)

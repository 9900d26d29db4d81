import { Button, Group } from '@mantine/core'
import { ErrorNote } from './errors.js'

interface Props {
  /** The verb on the button that sends the form: "Create the key". */
  readonly action: string
  readonly isPending: boolean
  /** Whether the form cannot be sent yet, such as without a choice. */
  readonly disabled?: boolean
  /** An error that is not about a field; undefined without one. */
  readonly error: Error | undefined
  readonly onCancel: () => void
}

/** The end of a form in a dialog: its error, the way back, and the button that sends it. */
export function FormActions({ action, isPending, disabled = false, error, onCancel }: Props) {
  return (
    <>
      {error && <ErrorNote error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isPending} disabled={disabled}>
          {action}
        </Button>
      </Group>
    </>
  )
}

import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorNote } from './errors.js'
import classes from './form-actions.module.css'

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
      <DialogButtons>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isPending} disabled={disabled}>
          {action}
        </Button>
      </DialogButtons>
    </>
  )
}

/** The buttons at the end of a dialog, the main one last. They stay in view while the dialog scrolls. */
export function DialogButtons({ children }: { readonly children: ReactNode }) {
  return (
    <Group justify="flex-end" className={classes['buttons']}>
      {children}
    </Group>
  )
}

import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorNote } from './errors.js'
import { useFormState, type FormState } from './form-state.js'
import classes from './submit-form.module.css'

interface Props {
  /** The form of `useSubmit`, or what sends another one. */
  readonly form: FormState & { readonly submit: () => void; readonly error: unknown; readonly hasCheck?: boolean }
  readonly children: ReactNode
  readonly errorTitle?: string
  /** The verb on the button that sends the form: "Create the key". */
  readonly action?: string
  /** Whether the form cannot be sent yet, such as without a choice. */
  readonly disabled?: boolean
  readonly onCancel?: () => void
  /** A button before those two. */
  readonly other?: ReactNode
  /** Instead of all buttons; null if the children have them. */
  readonly buttons?: ReactNode
}

/**
 * A form with its fields, the error that is not about one of them, and its buttons. A double click sends it once. The dialog around it
 * asks before it discards the input.
 */
export function SubmitForm({ form, children, errorTitle, action, disabled = false, onCancel, other, buttons }: Props) {
  const { submit, isPending, isChanged, error, hasCheck } = form
  useFormState({ isChanged, isPending })
  return (
    <form
      noValidate={hasCheck}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        {children}
        {Boolean(error) && <ErrorNote error={error} title={errorTitle} />}
        {buttons === undefined ? (
          <DialogButtons>
            {other}
            {onCancel && (
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
            <Button type="submit" loading={isPending} disabled={disabled}>
              {action}
            </Button>
          </DialogButtons>
        ) : (
          buttons
        )}
      </Stack>
    </form>
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

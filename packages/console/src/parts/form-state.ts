import { createContext, useContext, useEffect, useState, type RefObject } from 'react'

/** What the dialog around a form must know before it closes. */
export interface FormState {
  /** Whether the form differs from how it opened. */
  readonly isChanged: boolean
  /** Whether it is being sent. */
  readonly isPending: boolean
}

const DialogContext = createContext<RefObject<FormState | undefined> | undefined>(undefined)

/** Gives the dialog to its form. */
export const FormInDialog = DialogContext.Provider

/** Tells the dialog around a form, if there is one, what closing it would discard. @param input JSON */
export function useFormState(input: unknown, isPending: boolean): void {
  const dialog = useContext(DialogContext)
  const now = JSON.stringify(input)
  const [opened] = useState(now)
  const isChanged = now !== opened
  useEffect(() => {
    if (dialog === undefined) return
    dialog.current = { isChanged, isPending }
    return () => {
      dialog.current = undefined
    }
  }, [dialog, isChanged, isPending])
}

import { createContext, useContext, useLayoutEffect, useState } from 'react'

/** What must be known before a form is closed. */
export interface FormState {
  /** Whether it has input that closing would discard. */
  readonly isChanged: boolean
  /** Whether it is being sent. */
  readonly isPending: boolean
}

const FormContext = createContext<((state: FormState | undefined) => void) | undefined>(undefined)

/** Gives the form in it the function that takes its state. */
export const FormStateReceiver = FormContext.Provider

/** Tells the dialog around a form, if there is one, the state of the form. */
export function useFormState({ isChanged, isPending }: FormState): void {
  const tell = useContext(FormContext)
  // In the same frame as the input: the next key may close the dialog.
  useLayoutEffect(() => {
    if (tell === undefined) return undefined
    tell({ isChanged, isPending })
    return () => tell(undefined)
  }, [tell, isChanged, isPending])
}

/** Whether a form differs from how it opened. @param input JSON */
export function useIsChanged(input: unknown): boolean {
  const now = JSON.stringify(input)
  const [opened] = useState(now)
  return now !== opened
}

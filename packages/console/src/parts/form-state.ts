import { createContext, useContext, useEffect, useLayoutEffect } from 'react'
import { holdReload } from './reload-hold.js'

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

/** Tells the dialog around a form, if there is one, the state of the form. No reload is offered while it has input. */
export function useFormState({ isChanged, isPending }: FormState): void {
  const tell = useContext(FormContext)
  // In the same frame as the input: the next key may close the dialog.
  useLayoutEffect(() => {
    if (tell === undefined) return undefined
    tell({ isChanged, isPending })
    return () => tell(undefined)
  }, [tell, isChanged, isPending])
  const hasInput = isChanged || isPending
  useEffect(() => (hasInput ? holdReload('input') : undefined), [hasInput])
}

import { SvcError } from '@svc/client'
import { fieldProblemOf } from '@svc/contract'
import { useMutation } from '@tanstack/react-query'

/** A field as the server names it: `ttl`, or `shortlink.max_uses` for a field of an object. */
type FieldName<Input> = (keyof Input & string) | `${keyof Input & string}.${string}`

interface Options<Input, Answer> {
  readonly fields: readonly FieldName<Input>[]
  readonly send: (input: Input) => Promise<Answer>
  readonly onDone?: (answer: Answer, input: Input) => void | Promise<void>
}

/** A form that is being sent. Its fields keep their text when the server refuses them. */
export interface Submission<Input> {
  readonly submit: (input: Input) => void
  readonly isPending: boolean
  /** The server's message about a field, to show below it. */
  readonly problem: (field: FieldName<Input>) => string | undefined
  /** The error if it is not about one of the fields; undefined otherwise. */
  readonly error: Error | undefined
  readonly reset: () => void
}

/** Sends a form, and puts the server's message at the field that it is about. */
export function useSubmit<Input, Answer>({ fields, send, onDone }: Options<Input, Answer>): Submission<Input> {
  const mutation = useMutation({ mutationFn: send, onSuccess: (answer, input) => onDone?.(answer, input) })
  const about = problemOf(mutation.error, fields)
  return {
    submit: (input) => mutation.mutate(input),
    isPending: mutation.isPending,
    problem: (field) => (about?.field === field ? about.text : undefined),
    error: about === undefined ? (mutation.error ?? undefined) : undefined,
    reset: mutation.reset,
  }
}

/** The field that a refusal is about, and the sentence without the field's name. */
export function problemOf(error: unknown, fields: readonly string[]) {
  if (!(error instanceof SvcError) || error.code !== 'bad_request') return undefined
  const about = fieldProblemOf(
    error.message,
    fields.map((field) => outermost(field)),
  )
  if (about === undefined) return undefined
  // `scopes[1]` is about the field `scopes`.
  const path = about.field.replaceAll(/\[\d+\]/g, '')
  const field = [path, outermost(path)].find((name) => fields.includes(name))
  if (field === undefined) return undefined
  return { field, text: about.problem.charAt(0).toUpperCase() + about.problem.slice(1) }
}

const outermost = (field: string): string => field.split('.', 1)[0] ?? ''

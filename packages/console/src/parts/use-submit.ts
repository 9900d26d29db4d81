import { SvcError } from '@svc/client'
import { fieldProblemOf, type FieldProblem } from '@svc/contract'
import { useEffect, useRef } from 'react'
import { useFormState, useIsChanged } from './form-state.js'
import { notifyError } from './notify.js'
import { useIsShown } from './use-is-shown.js'
import { useSingleMutation } from './use-single-mutation.js'

/** A field as the server names it: `ttl`, or `shortlink.max_uses` for a field of an object. */
type FieldName<Input> = (keyof Input & string) | `${keyof Input & string}.${string}`

interface Options<Input, Answer> {
  readonly fields: readonly FieldName<Input>[]
  /** The fields as they are now. The server's message at a field disappears when that field changes. */
  readonly input: Input
  readonly send: (input: Input) => Promise<Answer>
  readonly onDone?: (answer: Answer, input: Input) => void | Promise<void>
}

/** A form that is being sent. Its fields keep their text when the server refuses them. */
export interface Submission<Input> {
  /** @param other is sent instead of the fields */
  readonly submit: (other?: Input) => void
  readonly isPending: boolean
  /** The server's message about a field, to show below it. */
  readonly problem: (field: FieldName<Input>) => string | undefined
  /** The error if it is not about one of the fields; undefined otherwise. */
  readonly error: Error | undefined
  readonly reset: () => void
}

/** Sends a form, and puts the server's message at the field that it is about. */
export function useSubmit<Input, Answer>({ fields, input, send, onDone }: Options<Input, Answer>): Submission<Input> {
  const isShown = useIsShown()
  const mutation = useSingleMutation({
    mutationFn: send,
    onSuccess: (answer, sent) => onDone?.(answer, sent),
    // A form that was closed meanwhile has no place for it.
    onError: (error) => {
      if (!isShown()) notifyError(error)
    },
  })
  useFormState({ isChanged: useIsChanged(input), isPending: mutation.isPending })
  const about = problemOf(mutation.error, fields)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // The first field with a message gets the focus, unless it is not an input, such as a table of checkboxes.
    if (mutation.isError) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [mutation.isError, mutation.error])
  return {
    submit: (other = input) => {
      form.current = document.activeElement?.closest('form') ?? null
      mutation.mutate(other)
    },
    isPending: mutation.isPending,
    problem: (field) => (about?.field === field && isSame(mutation.variables, input, field) ? about.text : undefined),
    error: about === undefined ? (mutation.error ?? undefined) : undefined,
    reset: mutation.reset,
  }
}

/** Whether two inputs have the same value in a field. @param field with dots for a field of an object */
export function isSame(one: unknown, other: unknown, field: string): boolean {
  const [a, b] = [one, other].map((input) =>
    field.split('.').reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], input),
  )
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((entry, index) => Object.is(entry, b[index]))
  return Object.is(a, b)
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
  return { field, text: sentenceOf(about) }
}

/** Words that follow the name of a field. Any other word is a name, such as in `host www already has records`. */
const predicates = ['must', 'is', 'has', 'may', 'cannot', 'got', 'names', 'would', 'results', 'takes', 'needs']

/** The problem as a sentence at its field. Names keep their case, and a pattern is replaced by its description. */
function sentenceOf({ field, problem }: FieldProblem): string {
  const [, described] = /^must match \^\S.*\$ \((.+)\), not /s.exec(problem) ?? []
  if (described !== undefined) return `Does not fit. ${described}.`
  const [first = ''] = problem.split(' ', 1)
  const text = predicates.includes(first) ? problem : `${field} ${problem}`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const outermost = (field: string): string => field.split('.', 1)[0] ?? ''

import { SvcError } from '@svc/client'
import type { Operation } from '@svc/contract'
import { useEffect, useRef, useState, type ChangeEvent } from 'react'
import { notifyError } from './notify.js'
import { fieldOf } from './schema.js'
import { useIsShown } from './use-is-shown.js'
import { useSingleMutation } from './use-single-mutation.js'

/** A field as the server names it: `ttl`, or `shortlink.max_uses` for a field of an object. */
type FieldName<Input> = (keyof Input & string) | `${keyof Input & string}.${string}`

/** The values that are texts. */
type TextName<Values> = { [Name in keyof Values & string]: Values[Name] extends string ? Name : never }[keyof Values &
  string]

interface Options<Values, Input, Answer> {
  /** Its schemas limit the text inputs. */
  readonly op?: Operation
  /** The values when the form opens: JSON or files. */
  readonly initial: Values
  /** What is sent; the values by default. */
  readonly input?: (values: Values) => Input
  /** The fields that the form shows a message at; all of the input by default. */
  readonly fields?: readonly FieldName<Input>[]
  /** What is wrong with the values, by field. It is shown at all fields at once, and nothing is sent. Replaces the messages of the browser. */
  readonly check?: (values: Values) => Partial<Record<FieldName<Input>, string>>
  readonly send: (input: Input) => Promise<Answer>
  readonly onDone?: (answer: Answer, input: Input) => void | Promise<void>
}

/** A form for `SubmitForm`. Its fields keep their text when the server refuses them. */
export interface Form<Values, Input = Values> {
  readonly values: Values
  readonly set: (changes: Partial<Values>) => void
  /** Whether the values differ from those when it opened. */
  readonly isChanged: boolean
  /** The properties of the input of a text. */
  readonly text: (name: TextName<Values>) => TextProps
  /** The server's message about a field, to show below it. It disappears when that field changes. */
  readonly problem: (field: FieldName<Input>) => string | undefined
  /** Whether the form has messages of its own for what the browser would check. */
  readonly hasCheck: boolean
  /** @param other is sent instead of the values */
  readonly submit: (other?: Input) => void
  readonly isPending: boolean
  /** The error if it is not about one of the fields; undefined otherwise. */
  readonly error: Error | undefined
  readonly reset: () => void
}

/** The properties of a text input. */
export interface TextProps {
  readonly value: string
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void
  readonly maxLength: number | undefined
  readonly error: string | undefined
}

/** The values of a form, which it sends, and the server's message at the field that it is about. */
export function useSubmit<Values extends object, Input extends object, Answer>(
  options: Options<Values, Input, Answer> & { readonly input: (values: Values) => Input },
): Form<Values, Input>
export function useSubmit<Values extends object, Answer>(
  options: Omit<Options<Values, Values, Answer>, 'input'>,
): Form<Values>
export function useSubmit<Values extends object, Input extends object, Answer>({
  op,
  initial,
  input: inputOf = (values) => values as unknown as Input,
  fields,
  check,
  send,
  onDone,
}: Options<Values, Input, Answer>): Form<Values, Input> {
  const [values, setValues] = useState(initial)
  const [opened] = useState(() => JSON.stringify(initial))
  const input = inputOf(values)
  const isShown = useIsShown()
  const mutation = useSingleMutation({
    mutationFn: send,
    onSuccess: (answer, sent) => onDone?.(answer, sent),
    // A form that was closed meanwhile has no place for it.
    onError: (error) => {
      if (!isShown()) notifyError(error)
    },
  })
  const about = problemOf(mutation.error, fields ?? Object.keys(input), mutation.variables)
  // How many times the check has refused: its messages are shown from the first time on.
  const [refusals, setRefusals] = useState(0)
  const known = refusals > 0 ? check?.(values) : undefined
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // The first field with a message gets the focus, unless it is not an input, such as a table of checkboxes.
    if (mutation.isError || refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [mutation.isError, mutation.error, refusals])
  const set = (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes }))
  const problem = (field: string) =>
    (known as Readonly<Record<string, string | undefined>> | undefined)?.[field] ??
    (about?.field === field && isSame(mutation.variables, input, field) ? about.text : undefined)
  return {
    values,
    set,
    isChanged: JSON.stringify(values) !== opened,
    text: (name) => ({
      value: values[name] as string,
      onChange: (event) => set({ [name]: event.currentTarget.value } as Partial<Values>),
      maxLength: op && fieldOf(op, name).maxLength,
      error: problem(name),
    }),
    problem,
    hasCheck: check !== undefined,
    submit: (other = input) => {
      form.current = document.activeElement?.closest('form') ?? null
      if (Object.keys(check?.(values) ?? {}).length > 0) setRefusals((count) => count + 1)
      else mutation.mutate(other)
    },
    isPending: mutation.isPending,
    error: about === undefined ? (mutation.error ?? undefined) : undefined,
    reset: mutation.reset,
  }
}

/** @param field with dots for a field of an object */
const valueOf = (input: unknown, field: string): unknown =>
  field.split('.').reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], input)

/** Whether two inputs have the same value in a field. @param field with dots for a field of an object */
export function isSame(one: unknown, other: unknown, field: string): boolean {
  const [a, b] = [valueOf(one, field), valueOf(other, field)]
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((entry, index) => isSameEntry(entry, b[index]))
  return Object.is(a, b)
}

/** Objects, such as the rules of a key, are made anew for each input. A file is the same only if it is itself. */
const isSameEntry = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || (isPlain(one) && isPlain(other) && JSON.stringify(one) === JSON.stringify(other))

const isPlain = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The fields of an input that differ from another one. */
export const changedFields = <Input extends object>(input: Input, before: Input): Partial<Input> =>
  Object.fromEntries(Object.entries(input).filter(([field]) => !isSame(input, before, field))) as Partial<Input>

/**
 * The field that a refusal is about, and the problem as a sentence below it.
 *
 * @param sent the refused input
 * @returns undefined if the refusal is not about one of the fields
 */
export function problemOf(error: unknown, fields: readonly string[], sent?: unknown) {
  if (!(error instanceof SvcError) || error.field === undefined) return undefined
  // `scopes[1]` is about the field `scopes`.
  const path = error.field.replaceAll(/\[\d+\]/g, '')
  const field = [path, path.split('.', 1)[0]].find((name) => name !== undefined && fields.includes(name))
  if (field === undefined) return undefined
  return { field, text: sentenceOf(error.problem ?? error.message, valueOf(sent, field)) }
}

/** A value at the start keeps its case, and a pattern is replaced by its description. */
function sentenceOf(problem: string, value: unknown): string {
  const [, described] = /^must match \^\S.*\$ \((.+)\), not /s.exec(problem) ?? []
  if (described !== undefined) return `Does not fit. ${described}.`
  if (typeof value === 'string' && value !== '' && problem.startsWith(`${value} `)) return problem
  return problem.charAt(0).toUpperCase() + problem.slice(1)
}

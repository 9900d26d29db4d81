import { badRequest } from '@svc/contract/errors'
import { ContentError } from '../../../http/answer.js'
import { quoted } from '../../../shared/quoted.js'

/** A name and a value, as they were sent. */
export type Pair = readonly [name: string, value: string]

/** A submission of a form, checked. */
export interface Submission {
  /** The texts by name; a list for a field that was sent more than once. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>
  /** `_subject`. */
  readonly subject: string | null
  /** `_next`: where the browser asks to be sent; undefined if it does not. */
  readonly next: string | undefined
  /** Whether `_gotcha` was filled in: people do not see that field. */
  readonly isSpam: boolean
}

export const pairsMax = 100
const nameMaxLength = 200
const subjectMaxLength = 300

/** @throws ApiError `bad_request` for too many pairs, and for a text that a database cannot store */
export function toSubmission(pairs: readonly Pair[]): Submission {
  if (pairs.length > pairsMax) throw tooManyPairs()
  const fields = new Map<string, string | string[]>()
  const special = new Map<string, string>()
  for (const [name, value] of pairs) {
    checkPair(name, value)
    if (isSpecial(name)) special.set(name, value)
    else fields.set(name, joined(fields.get(name), value))
  }
  return {
    fields: Object.fromEntries(fields),
    subject: special.get('_subject')?.slice(0, subjectMaxLength) ?? null,
    next: special.get('_next'),
    isSpam: (special.get('_gotcha') ?? '') !== '',
  }
}

/** Spam is accepted, so that its sender does not notice. @throws ApiError `bad_request` for a submission without any text */
export function refuseEmpty({ fields, isSpam }: Submission): void {
  if (isSpam || Object.values(fields).some((value) => [value].flat().some((text) => text.trim() !== ''))) return
  throw badRequest('The form', 'is empty: fill in at least one field')
}

export const tooManyPairs = () => badRequest('The form', `has more than ${String(pairsMax)} values`)

const isSpecial = (name: string): boolean => name === '_gotcha' || name === '_next' || name === '_subject'

function joined(earlier: string | string[] | undefined, value: string): string | string[] {
  if (earlier === undefined) return value
  return typeof earlier === 'string' ? [earlier, value] : [...earlier, value]
}

function checkPair(name: string, value: string): void {
  if (name === '') throw badRequest('The form', 'has a field without a name')
  if (name.length > nameMaxLength)
    throw badRequest(`The name ${quoted(name)}`, `must have at most ${String(nameMaxLength)} characters`)
  for (const text of [name, value])
    if (text.includes('\0') || !text.isWellFormed())
      throw badRequest(`The field ${quoted(name)}`, 'must not contain a NUL character or half of a surrogate pair')
}

/** The largest submission, in bytes of its stored JSON. */
const storedMaxBytes = 64 * 1024

/** The stored form of the fields. @throws ContentError 413 */
export function fieldsToJson(fields: Submission['fields']): { readonly json: string; readonly size: number } {
  const json = JSON.stringify(fields)
  const size = Buffer.byteLength(json)
  if (size > storedMaxBytes)
    throw new ContentError(413, `A submission must have at most ${String(storedMaxBytes)} bytes as JSON.`)
  return { json, size }
}

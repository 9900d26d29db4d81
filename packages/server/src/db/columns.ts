import { timeMax } from '../shared/timestamp.js'
import type { Value } from './table-shape.js'

/**
 * Checks a value of a column.
 * @returns the problem, to follow the name of the column; undefined for a valid value
 */
export type ColumnCheck = (value: Value) => string | undefined

/** Checks of the columns that no request sets, and of the form of those that one does. */

/** An integer in a range. */
export const integer =
  (min: number, max: number): ColumnCheck =>
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? undefined
      : `must be an integer from ${String(min)} to ${String(max)}`

export const id = integer(1, Number.MAX_SAFE_INTEGER)

/** A thousandth of the largest exact integer: sums of counts stay exact. */
export const count = integer(0, Math.floor(Number.MAX_SAFE_INTEGER / 1000))

/** Milliseconds since the epoch, up to the year 9999, which RFC 3339 can write. */
export const time = integer(0, timeMax)

export const flag = integer(0, 1)

/** Text that both databases store: without NUL and half surrogate pairs. @param max in characters */
export const text =
  (max: number, form?: RegExp): ColumnCheck =>
  (value) => {
    if (typeof value !== 'string') return 'must be a text'
    if (value.length > max) return `must have at most ${String(max)} characters, not ${String(value.length)}`
    if (value.includes('\0') || !value.isWellFormed()) return 'must not contain NUL or half of a surrogate pair'
    return form === undefined || form.test(value) ? undefined : 'does not have the form of values that svc stores'
  }

export const sha256Text = text(64, /^[0-9a-f]{64}$/)

/** RFC 3339 in UTC with milliseconds. */
export const timeText = text(24, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

export const oneOf = (values: readonly string[]): ColumnCheck => {
  const known: ReadonlySet<Value> = new Set(values)
  return (value) => (known.has(value) ? undefined : `must be one of ${values.join(', ')}`)
}

/** @param max of their number; the same number if `min` is left out */
export const bytes =
  (max: number, min = max): ColumnCheck =>
  (value) =>
    Buffer.isBuffer(value) && value.length >= min && value.length <= max
      ? undefined
      : `must have ${min === max ? '' : `${String(min)} to `}${String(max)} bytes`

export const nullable =
  (check: ColumnCheck): ColumnCheck =>
  (value) =>
    value === null ? undefined : check(value)

/** JSON in the form of `JSON.stringify`, because some answers contain the text unchanged. @param max in characters */
export const json = (max: number, isValid: (value: unknown) => boolean): ColumnCheck => {
  const isText = text(max)
  return (value) => {
    const problem = isText(value)
    if (problem !== undefined) return problem
    try {
      const parsed: unknown = JSON.parse(value as string)
      return isValid(parsed) && JSON.stringify(parsed) === value
        ? undefined
        : 'has another form than values that svc stores'
    } catch (error) {
      if (error instanceof SyntaxError) return 'is not JSON'
      throw error
    }
  }
}

/** The column that says how a row is encrypted, or null. */
export const keyId = text(64, /^[0-9a-f]+$/)

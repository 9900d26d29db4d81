import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import { checkRecord } from '../src/areas/dns/records/check.js'

/** The value that svc stores for a record at `host.example.com`. */
export const valueOf = (type: RecordType, value: string): string =>
  checkRecord('example.com', { type, host: 'host', value, priority: 0 }).value

export interface ValueTable {
  /** Already in canonical form. */
  readonly kept: readonly string[]
  /** Other spellings and their canonical form. */
  readonly read: readonly (readonly [spelling: string, canonical: string])[]
  readonly refused: readonly (readonly [value: string, message: string])[]
}

const shown = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Tests a table of values. The tables stand beside the rules, with at least ten rows of each kind. */
export function describeValues(type: RecordType, { kept, read, refused }: ValueTable): void {
  describe(`${type} values`, () => {
    it('the values have at least ten examples of each kind', () => {
      for (const table of [kept, read, refused]) expect(table.length).toBeGreaterThanOrEqual(10)
    })

    it.each(kept.map((value) => [shown(value), value]))('stores %s unchanged', (_, value) => {
      expect(valueOf(type, value)).toBe(value)
    })

    it.each(read.map(([given, to]) => [shown(given), shown(to), given, to]))(
      'stores %s as %s',
      (_, __, given, canonical) => {
        expect(valueOf(type, given)).toBe(canonical)
        expect(valueOf(type, canonical)).toBe(canonical)
      },
    )

    it.each(refused.map(([value, message]) => [shown(value), value, message]))('refuses %s', (_, value, message) => {
      expect(() => valueOf(type, value)).toThrow(new ApiError('bad_request', message))
    })
  })
}

import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import { checkRecord } from '../src/areas/dns/records/check.js'

/** What a record of this type, at `host.example.com`, keeps of a value. */
export const valueOf = (type: RecordType, value: string): string =>
  checkRecord('example.com', { type, host: 'host', value, priority: 0 }).value

export interface ValueTable {
  /** In canonical form already. */
  readonly kept: readonly string[]
  /** Other spellings, and what they come to. */
  readonly read: readonly (readonly [spelling: string, canonical: string])[]
  readonly refused: readonly (readonly [value: string, message: string])[]
}

const shown = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Ten of each at least: see the tables beside the rules. */
export function describeValues(type: RecordType, { kept, read, refused }: ValueTable): void {
  describe(`${type} values`, () => {
    it('are tried ten times each way', () => {
      for (const table of [kept, read, refused]) expect(table.length).toBeGreaterThanOrEqual(10)
    })

    it.each(kept.map((value) => [shown(value), value]))('%s is kept', (_, value) => {
      expect(valueOf(type, value)).toBe(value)
    })

    it.each(read.map(([given, to]) => [shown(given), shown(to), given, to]))('%s is %s', (_, __, given, canonical) => {
      expect(valueOf(type, given)).toBe(canonical)
      expect(valueOf(type, canonical)).toBe(canonical)
    })

    it.each(refused.map(([value, message]) => [shown(value), value, message]))('%s is refused', (_, value, message) => {
      expect(() => valueOf(type, value)).toThrow(new ApiError('bad_request', message))
    })
  })
}

/** Repeatable random numbers: `SVC_TEST_SEED` selects the sequence, and `npm run test:long` uses a new one each round. */

export const seed = Number(process.env['SVC_TEST_SEED'] ?? 1)

/** Whether `npm run test:long` runs, in which a test may take minutes. */
export const isLong = process.env['SVC_TEST_LONG'] === '1'

export interface Random {
  /** 0 to 1, 1 excluded. */
  next(): number
  /** `low` to `high`, both included. */
  integer(low: number, high: number): number
  pick<T>(values: readonly T[]): T
  bytes(length: number): Buffer
}

/** The sequence of this run for one purpose (mulberry32). Sequences of different purposes are independent. */
export function random(purpose: string): Random {
  let state = seed
  for (const letter of purpose) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x9e3779b1)
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    integer,
    pick: (values) => {
      const value = values[integer(0, values.length - 1)]
      if (value === undefined) throw new RangeError('values must not be empty.')
      return value
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => integer(0, 255))),
  }
}

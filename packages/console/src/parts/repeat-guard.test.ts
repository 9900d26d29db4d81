import { expect, it } from 'vitest'
import { doubleClickMs, repeatGuard } from './repeat-guard.js'

/** Starts calls at the given times, and says which of them may run. Each call that may run ends after `runsMs`. */
function started(runsMs: number, calls: readonly (readonly [at: number, input: unknown])[]): boolean[] {
  let now = 0
  let endsAt = Infinity
  const guard = repeatGuard(() => now)
  return calls.map(([at, input]) => {
    now = at
    if (now >= endsAt) guard.end(true)
    const isStarted = guard.start(input)
    if (isStarted) endsAt = now + runsMs
    return isStarted
  })
}

it.each([
  [
    'a double click while the call runs',
    1_000,
    [
      [0, 'a'],
      [150, 'a'],
    ],
    [true, false],
  ],
  [
    'another input while the call runs',
    1_000,
    [
      [0, 'a'],
      [150, 'b'],
    ],
    [true, false],
  ],
  [
    'a double click after a fast answer',
    20,
    [
      [0, 'a'],
      [150, 'a'],
    ],
    [true, false],
  ],
  [
    'a corrected input after a fast answer',
    20,
    [
      [0, { a: 1 }],
      [150, { a: 2 }],
    ],
    [true, true],
  ],
  [
    'the same input later',
    20,
    [
      [0, 'a'],
      [doubleClickMs, 'a'],
    ],
    [true, true],
  ],
  [
    'a call without input later',
    20,
    [
      [0, undefined],
      [100, undefined],
      [doubleClickMs, undefined],
    ],
    [true, false, true],
  ],
] as const)('decides which calls start: %s', (_, runsMs, calls, expected) => {
  expect(started(runsMs, calls)).toEqual(expected)
})

it('repeats a failed call at once', () => {
  const guard = repeatGuard(() => 0)
  expect(guard.start('a')).toBe(true)
  guard.end(false)
  expect(guard.start('a')).toBe(true)
})

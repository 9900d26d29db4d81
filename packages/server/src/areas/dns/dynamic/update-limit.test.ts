import { expect, it } from 'vitest'
import { updateLimit, updatesMax } from './update-limit.js'

it('allows so many updates at once, then as many in an hour, for each token', () => {
  let now = 0
  const isWithinLimit = updateLimit(() => now)
  const allowed = (tokenId: number, tries: number) =>
    Array.from({ length: tries }, () => isWithinLimit(tokenId)).filter(Boolean).length
  expect(allowed(1, updatesMax + 20)).toBe(updatesMax)
  expect(allowed(2, 1)).toBe(1)
  now += 3_600_000 / updatesMax
  expect(allowed(1, 5)).toBe(1)
  now += 10 * 3_600_000
  expect(allowed(1, updatesMax + 20)).toBe(updatesMax)
})

import { expect, it, vi } from 'vitest'
import { ofUsable } from './usable-operations.js'

it('makes one result for a set of scopes, in whatever order a token has them', () => {
  const make = vi.fn(() => ({}))
  const resultFor = ofUsable([], make, 10)
  expect(resultFor(['dns:read', 'dns:write'], undefined)).toBe(resultFor(['dns:write', 'dns:read'], undefined))
  expect(resultFor(['dns:read'], undefined)).not.toBe(resultFor(['dns:write'], undefined))
  expect(make).toHaveBeenCalledTimes(3)
})

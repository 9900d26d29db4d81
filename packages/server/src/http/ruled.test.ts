import { operations, type Operation } from '@svc/contract'
import { expect, it, vi } from 'vitest'
import { ruled } from './ruled.js'

const op: Operation = { ...operations[0]!, refusesRules: 'the webhooks of the account' }

it('refuses tokens with rules, and no other caller', () => {
  const handle = vi.fn(() => 'done')
  const guarded = ruled(op, handle) as (input: unknown, context: unknown) => unknown
  expect(guarded({}, { account: {}, scopes: ['*'] })).toBe('done')
  expect(() => guarded({}, { account: { rules: [] }, scopes: ['*'] })).toThrow(
    'A token with rules cannot use the webhooks',
  )
  expect(handle).toHaveBeenCalledTimes(1)
})

it('does not start with an operation that takes bytes and refuses rules', () => {
  expect(() => ruled(op, { limit: vi.fn(), handle: vi.fn() })).toThrow('cannot refuse rules')
})

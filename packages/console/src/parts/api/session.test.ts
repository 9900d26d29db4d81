import { SvcError } from '@svc/client'
import { expect, it } from 'vitest'
import { failCalls, isExpired, resumeCalls, resuming } from './session.js'

/** Calls that wait for a new sign-in. */

const ended = () =>
  new SvcError(401, { success: false, error: 'unauthorized', message: 'Sign in first.', request_id: 'req_1' })

/** A call whose first answer is decided by the test; the second one succeeds. */
function callWith(first: Promise<unknown>) {
  let calls = 0
  return resuming(() => (++calls === 1 ? first : Promise.resolve('second')))
}

const nextTurn = () => new Promise((resolve) => setTimeout(resolve))

it('waits for the sign-in, then repeats the call', async () => {
  const answer = callWith(Promise.reject(ended()))()
  await nextTurn()
  expect(isExpired()).toBe(true)
  resumeCalls()
  expect(await answer).toBe('second')
  expect(isExpired()).toBe(false)
})

it('repeats a call whose 401 arrives after the sign-in, without another sign-in', async () => {
  let refuse: () => void = () => undefined
  const late = callWith(new Promise((_, reject) => (refuse = () => reject(ended()))))()
  const answer = callWith(Promise.reject(ended()))()
  await nextTurn()
  resumeCalls()
  refuse()
  expect(await Promise.all([late, answer])).toEqual(['second', 'second'])
  expect(isExpired()).toBe(false)
})

it('fails when the user leaves the sign-in', async () => {
  const answer = callWith(Promise.reject(ended()))()
  await nextTurn()
  failCalls(new Error('left'))
  await expect(answer).rejects.toThrow('left')
})

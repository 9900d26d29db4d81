import { SvcError } from '@svc/client'
import { beforeEach, expect, it } from 'vitest'
import { PausedCalls } from './paused-calls.js'

/** Calls that wait for the password, such as for a new sign-in. */

let paused: PausedCalls
beforeEach(() => {
  paused = new PausedCalls('unauthorized')
})

const ended = () =>
  new SvcError(401, { success: false, error: 'unauthorized', message: 'Sign in first.', request_id: 'req_1' })

/** A call whose first answer is decided by the test; the second one succeeds. */
function callWith(first: Promise<unknown>) {
  let calls = 0
  return paused.repeating(() => (++calls === 1 ? first : Promise.resolve('second')))
}

const nextTurn = () => new Promise((resolve) => setTimeout(resolve))

it('waits for the sign-in, then repeats the call', async () => {
  const answer = callWith(Promise.reject(ended()))()
  await nextTurn()
  expect(paused.isWaiting()).toBe(true)
  paused.resume()
  expect(await answer).toBe('second')
  expect(paused.isWaiting()).toBe(false)
})

it('repeats a call whose 401 arrives after the sign-in, without another sign-in', async () => {
  let refuse: () => void = () => undefined
  const late = callWith(new Promise((_, reject) => (refuse = () => reject(ended()))))()
  const answer = callWith(Promise.reject(ended()))()
  await nextTurn()
  paused.resume()
  refuse()
  expect(await Promise.all([late, answer])).toEqual(['second', 'second'])
  expect(paused.isWaiting()).toBe(false)
})

it('fails when the user leaves the sign-in', async () => {
  const answer = callWith(Promise.reject(ended()))()
  await nextTurn()
  paused.fail(new Error('left'))
  await expect(answer).rejects.toThrow('left')
})

it('does not wait for another refusal, and tells its listeners when it begins and ends to wait', async () => {
  const states: boolean[] = []
  const stop = paused.subscribe(() => states.push(paused.isWaiting()))
  const refusal = new SvcError(403, {
    success: false,
    error: 'password_required',
    message: 'Enter it.',
    request_id: 'r',
  })
  await expect(callWith(Promise.reject(refusal))()).rejects.toThrow('Enter it.')
  const answer = callWith(Promise.reject(ended()))()
  await nextTurn()
  paused.resume()
  await answer
  stop()
  paused.resume()
  expect(states).toEqual([true, false])
})

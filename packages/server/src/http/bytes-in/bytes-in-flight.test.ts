import { expect, it } from 'vitest'
import { ApiError } from '@svc/contract'
import type { ByteLimits } from '../handler.js'
import { BytesInFlight, type RequestBytes } from './bytes-in-flight.js'

const max = 20

/** An account with room for 20 bytes, and a request that has sent 10 of them and waits for its end. */
function startFirst() {
  const inFlight = new BytesInFlight()
  let committed = 0
  const ask = (): Promise<ByteLimits> =>
    Promise.resolve({
      request: { max: Infinity, reason: 'never' },
      account: { max: max - committed, reason: (others) => `Others send ${others}.` },
    })
  async function receive(own: RequestBytes, size: number): Promise<void> {
    async function* bytes() {
      yield await Promise.resolve(new Uint8Array(size))
    }
    let received = 0
    for await (const chunk of own.limited(bytes(), await own.read(ask), ask)) received += chunk.length
    expect(received).toBe(size)
  }
  const send = (size: number) => inFlight.run(1, (own) => receive(own, size))

  const first: { commit?: () => void; leave?: () => void } = {}
  const ended = inFlight.run(1, async (own) => {
    await receive(own, 10)
    first.commit = () => {
      committed += 10
      own.isKept = true
    }
    await new Promise<void>((leave) => (first.leave = leave))
  })
  return { send, ended, first }
}

/** Runs everything that does not wait for the first request. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('bytes whose row is committed count once, also before their request has ended', async () => {
  const { send, ended, first } = startFirst()
  await settled()
  first.commit?.()
  const second = send(10)
  const third = send(11).catch((error: unknown) => error)
  await settled()
  first.leave?.()
  await ended
  await second
  expect(await third).toEqual(new ApiError('bad_request', 'Others send 10.'))
})

it('bytes that are being removed are waited for, and then free', async () => {
  const { send, ended, first } = startFirst()
  await settled()
  const second = send(20)
  await settled()
  first.leave?.()
  await ended
  await second
})

it('a request that waits for too long for 16 others of its account is refused', async () => {
  const inFlight = new BytesInFlight(20)
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const running = Array.from({ length: 16 }, () => inFlight.run(1, () => released))
  await inFlight.run(2, () => Promise.resolve())
  await expect(inFlight.run(1, () => Promise.resolve())).rejects.toThrow(
    new ApiError(
      'bad_request',
      'The account already has 16 requests that send bytes. Repeat this one when one of them has ended.',
    ),
  )
  release()
  await Promise.all(running)
  await inFlight.run(1, () => Promise.resolve())
})

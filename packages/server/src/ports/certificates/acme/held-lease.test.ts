import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HeldLease, leaseMs } from './held-lease.js'
import type { DueCertificate, Lease } from './lease-store.js'

/** The lease of a certificate while its order is under way. */

let extended: number[]
let answer: (until: number) => Promise<boolean>
const warnings: string[] = []
beforeEach(() => {
  vi.useFakeTimers()
  extended = []
  answer = () => Promise.resolve(true)
})
afterEach(() => {
  vi.useRealTimers()
})

function hold(): HeldLease {
  const certificate = { id: 7, leasedUntil: Date.now() + leaseMs } as DueCertificate
  return new HeldLease(certificate, {
    store: {
      extend: (lease: Lease, until) => {
        expect(lease).toEqual({ id: 7, leasedUntil: extended.at(-1) ?? certificate.leasedUntil })
        return answer(until).then((isExtended) => {
          if (isExtended) extended.push(until)
          return isExtended
        })
      },
    },
    now: Date.now,
    log: { warn: (_: unknown, text?: string) => warnings.push(text ?? '') },
  })
}

it('is extended before it is over, until it is stopped', async () => {
  const begin = Date.now()
  const held = hold()
  await vi.advanceTimersByTimeAsync(2 * leaseMs)
  expect(extended[0]).toBeLessThan(begin + 2 * leaseMs)
  expect(extended.at(-1)).toBeGreaterThan(Date.now() + leaseMs / 2)
  expect(await held.stop()).toEqual({ id: 7, leasedUntil: extended.at(-1) })
  const count = extended.length
  await vi.advanceTimersByTimeAsync(2 * leaseMs)
  expect(extended).toHaveLength(count)
  expect(held.signal.aborted).toBe(false)
})

it('is lost when another process has the certificate', async () => {
  const held = hold()
  answer = () => Promise.resolve(false)
  await vi.advanceTimersByTimeAsync(leaseMs / 2)
  expect(held.signal.reason).toEqual(new Error('Another process has taken the certificate.'))
  await held.stop()
})

it('outlives a failure of the database, and is lost when it is over', async () => {
  const held = hold()
  answer = () => Promise.reject(new Error('The database is down.'))
  await vi.advanceTimersByTimeAsync(leaseMs / 2)
  expect(held.signal.aborted).toBe(false)
  expect(warnings).toContain('the lease of a certificate could not be extended')
  await vi.advanceTimersByTimeAsync(leaseMs)
  expect(held.signal.reason).toEqual(new Error('The lease of the certificate is over.'))
  await held.stop()
})

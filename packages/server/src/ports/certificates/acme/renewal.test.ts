import { describe, expect, it } from 'vitest'
import { failuresAfter, renewalTime, retryTime } from './renewal.js'

const day = 86_400_000
const now = Date.UTC(2026, 10, 27)

describe('a certificate', () => {
  const lifeOf = (days: number) => ({ orderedAt: now, validFrom: now, validUntil: now + days * day })
  const life = lifeOf(90)

  it.each([
    [0, 10],
    [0.5, 15],
    [1, 20],
  ])('is renewed in the window of the CA, at a random time: %d', (random, days) => {
    const window = { start: now + 10 * day, end: now + 20 * day }
    expect(renewalTime(life, window, random)).toBe(now + days * day)
  })

  it.each([
    [90, 1],
    [6, 0.6],
  ])('of %d days is not renewed in its first part, also if the window is over', (days, after) => {
    const window = { start: now - 20 * day, end: now - 10 * day }
    expect(renewalTime(lifeOf(days), window, 1)).toBe(now + after * day)
  })

  it('of a CA that issues expired ones is not ordered again at once', () => {
    const expired = { orderedAt: now, validFrom: now - 90 * day, validUntil: now - 1 }
    expect(renewalTime(expired, undefined, 0)).toBe(now + day)
    const short = { orderedAt: now, validFrom: now, validUntil: now + 1_000 }
    expect(renewalTime(short, undefined, 0)).toBe(now + 10_000)
  })

  it('is renewed before it expires, also if the window is later', () => {
    const window = { start: now + 200 * day, end: now + 300 * day }
    expect(renewalTime(life, window, 0)).toBe(now + 81 * day)
  })

  it.each([
    [90, 0, 60],
    [90, 1, 57],
    [6, 0, 3],
  ])(
    'of %d days without a window is renewed after two thirds of its life, or half of a short one, or a little earlier',
    (days, random, after) => {
      const renewed = renewalTime(lifeOf(days), undefined, random)
      expect(renewed).toBe(now + after * day)
    },
  )
})

describe('an order that failed', () => {
  const hours = (failures: number) =>
    (retryTime(failures, { now, random: 0.5, validUntil: undefined }) - now) / 3_600_000

  it('is repeated after ten seconds, after minutes, and at last every third day', () => {
    expect(hours(1) * 3_600).toBe(10)
    expect([2, 3, 4, 5, 6, 7, 8, 1000].map(hours).map((each) => Math.round(each * 12) / 12)).toEqual([
      1 / 12,
      0.5,
      2,
      8,
      24,
      72,
      72,
      72,
    ])
  })

  it('is not repeated before the CA takes requests again', () => {
    expect(retryTime(1, { now, random: 0, retryAt: now + 7 * day, validUntil: now + day })).toBe(now + 7 * day)
    expect(retryTime(7, { now, random: 1, retryAt: now + 1, validUntil: undefined })).toBe(now + 3.3 * day)
  })

  it('is not delayed for days by attempts without the CA', () => {
    let failures = 0
    for (let attempt = 0; attempt < 50; attempt++) failures = failuresAfter(failures, true)
    expect(failuresAfter(failures, false)).toBe(4)
    expect(failuresAfter(6, true)).toBe(6)
  })

  it('is repeated every hour if the CA was not asked', () => {
    const wait = retryTime(9, { now, random: 0.5, validUntil: undefined, isOwn: true }) - now
    expect(wait).toBe(3_600_000)
  })

  it('of a certificate of six days is repeated often enough that an outage of two thirds of the time left does no harm', () => {
    // It is renewed after four of its six days.
    const validUntil = now + 2 * day
    for (const outage of [1, 20, 32, 35, 40, 44].map((hours) => hours * 3_600_000)) {
      let [failures, at] = [0, now]
      while (at < now + outage) at = retryTime(++failures, { now: at, random: 1, validUntil })
      expect(at, String(outage)).toBeLessThan(validUntil)
    }
  })

  it('near the end of the certificate and after it is repeated every half hour, and less often after months', () => {
    const minutes = (left: number) =>
      Math.round((retryTime(9, { now, random: 0.5, validUntil: now + left }) - now) / 60_000)
    expect([day, 1, -1, -day, -90 * day].map(minutes)).toEqual([180, 30, 30, 180, 72 * 60])
  })
})

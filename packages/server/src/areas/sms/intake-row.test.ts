import { describe, expect, it } from 'vitest'
import { intakeRow } from './intake-row.js'

const message = { from: '1', to: null, body: 'Your code', sim: null, device: 'd', receivedAt: undefined }
const now = Date.UTC(2026, 0, 16, 9, 44)
const years = 5 * 366 * 86_400_000

describe('the deduplication key of a message', () => {
  it.each([
    ['milliseconds', '1768556698000', 1768556698000],
    ['several times, of which the first counts', '1768556698000 1768556699000', 1768556698000],
    ['a date and a time', 'dev-1 a1 2026-01-16T09:44:58.000Z', 1768556698000],
    ['a local time', '2026-01-16 09:44:58', 1768556698000],
    ['a time before 1970', '1960-01-01 00:00:00', 0],
    ['a date that does not exist', '2026-13-41 09:44:58', 0],
    ['the latest date', '9999-12-31 23:59:59', 253402300799000],
    ['a number that is too long for a time', '17685566980001', 0],
    ['no time', 'dev-1 a1', 0],
  ])('the key begins with the time of the device and does not depend on the server: %s', (_, deviceStamp, time) => {
    const { deduplicationKey, earlierDeduplicationKey } = intakeRow({ ...message, deviceStamp }, { id: 1 }, now)
    expect(deduplicationKey).toMatch(/^[0-9a-f]{32}$/)
    expect(parseInt(deduplicationKey.slice(0, 12), 16)).toBe(time)
    expect(earlierDeduplicationKey).toBe(null)
    expect(intakeRow({ ...message, deviceStamp }, { id: 1 }, now + years).deduplicationKey).toBe(deduplicationKey)
    expect(intakeRow({ ...message, deviceStamp, receivedAt: now }, { id: 1 }, now).deduplicationKey).toBe(
      deduplicationKey,
    )
    for (const other of [
      { deviceStamp: `${deviceStamp} ` },
      { body: 'x' },
      { from: '2' },
      { sim: '' },
      { device: null },
    ])
      expect(intakeRow({ ...message, deviceStamp, ...other }, { id: 1 }, now).deduplicationKey).not.toBe(
        deduplicationKey,
      )
    expect(intakeRow({ ...message, deviceStamp }, { id: 2 }, now).deduplicationKey).not.toBe(deduplicationKey)
  })

  it('the key of a message without a time of the device is that of ten minutes', () => {
    const at = (ms: number) => intakeRow({ ...message, deviceStamp: undefined }, { id: 1 }, ms)
    const start = Math.floor(now / 600_000) * 600_000
    expect(parseInt(at(now).deduplicationKey.slice(0, 12), 16)).toBe(start)
    expect(at(start + 599_999)).toEqual({ ...at(start), receivedAt: start + 599_999 })
    expect(at(start + 600_000).earlierDeduplicationKey).toBe(at(start).deduplicationKey)
  })
})

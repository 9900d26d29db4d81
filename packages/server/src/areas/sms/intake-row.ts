import { hash } from 'node:crypto'
import type { DeviceMessage } from './formats/message.js'
import type { NewMessage } from './messages/intake-store.js'

/**
 * Without a time of the device, the same text is a repeat for ten to twenty minutes: an app repeats what was not answered, first after
 * seconds.
 */
const repeatMs = 600_000

/** The row of a message. @param now the time of the server, in milliseconds since the epoch */
export function intakeRow(message: DeviceMessage, { id: keyId }: { readonly id: number }, now: number): NewMessage {
  const { from, to, body, sim, device, receivedAt, deviceStamp } = message
  const keyOf = (distinct: string, time: number) => {
    const parts = JSON.stringify([keyId, distinct, from, to, body, sim, device])
    return time.toString(16).padStart(12, '0') + hash('sha256', parts, 'hex').slice(0, 20)
  }
  const keyInPeriod = (period: number) => keyOf(`period ${String(period)}`, period * repeatMs)
  const period = Math.floor(now / repeatMs)
  return {
    deduplicationKey: deviceStamp === undefined ? keyInPeriod(period) : keyOf(deviceStamp, timeIn(deviceStamp)),
    earlierDeduplicationKey: deviceStamp === undefined ? keyInPeriod(period - 1) : null,
    receivedAt: receivedAt ?? now,
    size: bytesOf(from) + bytesOf(to) + bytesOf(body) + bytesOf(sim) + bytesOf(device),
    sender: from,
    receiver: to,
    sim,
    device,
    body,
  }
}

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text))

const timePattern = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)|\b(\d{13})\b/

/**
 * The first time in a device stamp, in milliseconds since the epoch, the zone ignored; 0 without one. Equal for equal stamps,
 * so the clock of the server plays no part.
 */
function timeIn(deviceStamp: string): number {
  const [, date = '', time = '', epoch] = timePattern.exec(deviceStamp) ?? []
  return Math.max(0, (epoch === undefined ? Date.parse(`${date}T${time}Z`) : Number(epoch)) || 0)
}

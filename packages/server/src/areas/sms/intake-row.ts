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
  const { from, to, body, sim, device, receivedAt, mark } = message
  const identify = (distinct: string, time: number) => {
    const parts = JSON.stringify([keyId, distinct, from, to, body, sim, device])
    return time.toString(16).padStart(12, '0') + hash('sha256', parts, 'hex').slice(0, 20)
  }
  const identifyIn = (period: number) => identify(`period ${String(period)}`, period * repeatMs)
  const period = Math.floor(now / repeatMs)
  return {
    identity: mark === undefined ? identifyIn(period) : identify(mark, timeIn(mark)),
    earlierIdentity: mark === undefined ? identifyIn(period - 1) : null,
    receivedAt: receivedAt ?? now,
    size: bytesOf(from) + bytesOf(to) + bytesOf(body) + bytesOf(sim) + bytesOf(device),
    ...{ sender: from, receiver: to, sim, device, body },
  }
}

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text))

const timeForm = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)|\b(\d{13})\b/

/**
 * The first time in the mark of a message, in milliseconds since the epoch, the zone ignored; 0 without one. Equal for equal marks,
 * so the clock of the server plays no part.
 */
function timeIn(mark: string): number {
  const [, date = '', time = '', epoch] = timeForm.exec(mark) ?? []
  return Math.max(0, (epoch === undefined ? Date.parse(`${date}T${time}Z`) : Number(epoch)) || 0)
}

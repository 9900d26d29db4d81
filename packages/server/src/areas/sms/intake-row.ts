import { hash } from 'node:crypto'
import type { DeviceMessage } from './formats/message.js'
import type { DeviceKey, NewMessage } from './messages/intake-store.js'

/**
 * Without a time of the device, the same text is a repeat for ten to twenty minutes: an app repeats what was not answered, first after
 * seconds.
 */
const repeatMs = 600_000

/** The row of a message. @param now the time of the server, in milliseconds since the epoch */
export function intakeRow(
  message: DeviceMessage,
  { id: keyId, accountId }: Pick<DeviceKey, 'id' | 'accountId'>,
  now: number,
): NewMessage {
  const { from, to, body, sim, device, receivedAt, mark } = message
  const identify = (distinct: string) => {
    const parts = [keyId, distinct, from, to, body, sim, device]
    return hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16)
  }
  const period = Math.floor(now / repeatMs)
  const identity = identify(mark ?? `period ${String(period)}`)
  return {
    ...{ accountId, keyId, storedAt: now, receivedAt: receivedAt ?? now },
    identity,
    earlierIdentity: mark === undefined ? identify(`period ${String(period - 1)}`) : identity,
    size: [from, to, body, sim, device].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0),
    ...{ sender: from, receiver: to, sim, device, body },
  }
}

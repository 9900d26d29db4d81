import { badRequest } from '@svc/contract/errors'
import { isoTime } from './device-time.js'
import type { Fields } from './forwarder.js'
import { fieldText, messageText, shortText, shortTextOrNull, unknownFormat, type DeviceMessage } from './message.js'

/** Events of SMS Gateway for Android (docs.sms-gate.app), such as `sms:received` and `system:ping`. */
const eventPattern = /^(?:sms|mms|system|app|call):[a-z:-]{1,40}$/

/**
 * Reads an event of SMS Gateway for Android.
 * @returns undefined for an event without a text message: it is accepted, because the app repeats refused events for two days
 * @throws ApiError `bad_request`
 */
export function readGateway(fields: Fields, now: number): DeviceMessage | undefined {
  const event = fieldText(fields['event']) ?? ''
  if (!eventPattern.test(event)) throw unknownFormat()
  if (event !== 'sms:received') return undefined
  const { payload } = fields
  if (typeof payload !== 'object' || payload === null) throw badRequest('payload', 'must be an object')
  const field = (name: string): string | undefined => fieldText((payload as Fields)[name])
  const [from, body] = [field('sender') ?? field('phoneNumber'), field('message')]
  if (from === undefined) throw badRequest('payload', 'must have a sender (before version 1.50: a phoneNumber)')
  if (body === undefined) throw badRequest('payload.message', 'must be a string')
  const [messageId, receivedAt, sim] = [field('messageId'), field('receivedAt'), field('simNumber')]
  const [deviceId] = [fieldText(fields['deviceId'])]
  const identifying = [deviceId, messageId, receivedAt]
  return {
    from: shortText(from),
    to: shortTextOrNull(field('recipient')),
    body: messageText('payload.message', body),
    sim: sim === undefined ? null : shortText(`SIM${sim}`),
    device: shortTextOrNull(deviceId),
    receivedAt: isoTime(receivedAt, now),
    // The id alone is a hash of 32 bits, which two messages may share.
    deviceStamp: messageId === undefined && receivedAt === undefined ? undefined : identifying.join(' '),
  }
}

import { epochTime, isDateAndTime, isoTime, isStamp } from './device-time.js'
import { fieldText, messageText, shortText, shortTextOrNull, unknownFormat, type DeviceMessage } from './message.js'

/** The fields of a form or of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the flat forms: SmsForwarder sends `from`, `content` and `timestamp` as a form, or JSON whose names are those of its tags;
 * Incoming SMS to URL forwarder sends JSON with `from`, `text`, `sentStamp`, `receivedStamp` and `sim`.
 * @throws ApiError `bad_request`
 */
export function readForwarder(fields: Fields, now: number): DeviceMessage {
  const field = (...names: string[]): string | undefined => {
    for (const name of names) {
      const text = fieldText(fields[name])
      if (text !== undefined) return text
    }
    return undefined
  }
  // The original text, before the text that SmsForwarder has formatted.
  const [from, body] = [field('from'), field('org_content', 'content', 'msg', 'text')]
  if (from === undefined || body === undefined) throw unknownFormat()
  const { receivedAt, deviceStamp } = timeOf(field, now)
  return {
    from: shortText(from),
    to: shortTextOrNull(field('to')),
    body: messageText('The text', body),
    sim: shortTextOrNull(field('card_slot', 'sim')),
    device: shortTextOrNull(field('device_mark', 'device')),
    receivedAt,
    deviceStamp,
  }
}

/** `timestamp` is when SmsForwarder sends, `receive_time` when the phone received: only the latter survives a manual repeat. */
function timeOf(
  field: (name: string) => string | undefined,
  now: number,
): Pick<DeviceMessage, 'receivedAt' | 'deviceStamp'> {
  const receiveTime = field('receive_time')
  const [sent, received] = [field('sentStamp'), field('receivedStamp')]
  const receivedAt =
    isoTime(receiveTime, now) ?? epochTime(received, now) ?? epochTime(field('timestamp'), now) ?? epochTime(sent, now)
  if (receiveTime !== undefined && isDateAndTime(receiveTime)) return { receivedAt, deviceStamp: receiveTime }
  const stamps = [sent, received, field('timestamp')]
  // Implausible stamps count too: repeats have the same ones, and plausibility depends on the clock of the server.
  return { receivedAt, deviceStamp: stamps.some(isStamp) ? stamps.join(' ') : undefined }
}

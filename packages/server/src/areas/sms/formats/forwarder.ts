import { epochTime, isDateAndTime, isoTime } from './device-time.js'
import { fieldText, messageText, shortText, shortTextOrNull, unknownForm, type DeviceMessage } from './message.js'

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
  if (from === undefined || body === undefined) throw unknownForm()
  const { receivedAt, mark } = timeOf(field, now)
  return {
    from: shortText(from),
    to: shortTextOrNull(field('to')),
    body: messageText('The text', body),
    sim: shortTextOrNull(field('card_slot', 'sim')),
    device: shortTextOrNull(field('device_mark', 'device')),
    receivedAt,
    mark,
  }
}

/** `timestamp` is when SmsForwarder sends, `receive_time` when the phone received: only the latter survives a manual repeat. */
function timeOf(field: (name: string) => string | undefined, now: number): Pick<DeviceMessage, 'receivedAt' | 'mark'> {
  const receiveTime = field('receive_time')
  const [sent, received] = [field('sentStamp'), field('receivedStamp')]
  const receivedAt =
    isoTime(receiveTime, now) ?? epochTime(received, now) ?? epochTime(field('timestamp'), now) ?? epochTime(sent, now)
  if (receiveTime !== undefined && isDateAndTime(receiveTime)) return { receivedAt, mark: receiveTime }
  const stamps = [sent, received, field('timestamp')].join(' ')
  return { receivedAt, mark: receivedAt === undefined ? undefined : stamps }
}

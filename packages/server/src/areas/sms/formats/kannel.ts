import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { isDateAndTime, isoTime } from './device-time.js'
import { messageText, shortText, shortTextOrNull, type DeviceMessage } from './message.js'

/** The value of a header of the request, by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined

/** Whether a request is that of a `post-url` of Kannel (Kannel 1.4.5 User's Guide, chapter 6). */
export const isKannel = (header: ReadHeader): boolean => header('x-kannel-from') !== undefined

/**
 * Reads a message of Kannel: its text is the body, the other fields are headers.
 * @throws ApiError `bad_request`
 */
export function readKannel(header: ReadHeader, body: Buffer, now: number): DeviceMessage {
  const time = header('x-kannel-time')
  return {
    from: shortText(header('x-kannel-from') ?? ''),
    to: shortTextOrNull(header('x-kannel-to')),
    body: messageText('The body', decode(header('content-type'), body)),
    sim: null,
    device: shortTextOrNull(header('x-kannel-smsc')),
    // Kannel sends UTC without saying so.
    receivedAt: isoTime(time === undefined ? undefined : `${time}Z`, now),
    deviceStamp: time !== undefined && isDateAndTime(time) ? time : undefined,
  }
}

const charsetPattern = /;\s*charset="?([\w.:-]{1,40})"?/i

/** The characters of the bytes 80 to 9F (encoding.spec.whatwg.org). Node.js 22.14 decodes them as control characters. */
const highCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

const windows1252 = (control: string): string => highCharacters.charAt(control.charCodeAt(0) - 0x80)

function decode(contentType = 'text/plain', body: Buffer): string {
  if (!/^text\/plain\b/i.test(contentType))
    throw badRequest('Content-Type', `must be text/plain for a message of Kannel, not ${quoted(contentType)}`)
  const charset = charsetPattern.exec(contentType)?.[1] ?? 'utf-8'
  try {
    const decoder = new TextDecoder(charset)
    const text = decoder.decode(body)
    return decoder.encoding === 'windows-1252' ? text.replace(/[\x80-\x9f]/g, windows1252) : text
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw badRequest('Content-Type', `has the unknown charset ${quoted(charset)}`)
  }
}

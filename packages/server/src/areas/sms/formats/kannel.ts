import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { isoTime } from './device-time.js'
import { messageText, shortText, shortTextOrNull, type DeviceMessage } from './message.js'

/** The value of a header of the request, by its name in lower case. */
export type Header = (name: string) => string | undefined

/** Whether a request is that of a `post-url` of Kannel (Kannel 1.4.5 User's Guide, chapter 6). */
export const isKannel = (header: Header): boolean => header('x-kannel-from') !== undefined

/**
 * Reads a message of Kannel: its text is the body, the other fields are headers.
 * @throws ApiError `bad_request`
 */
export function readKannel(header: Header, body: Buffer, now: number): DeviceMessage {
  const time = header('x-kannel-time')
  // Kannel sends UTC without saying so.
  const receivedAt = isoTime(time === undefined ? undefined : `${time}Z`, now)
  return {
    from: shortText(header('x-kannel-from') ?? ''),
    to: shortTextOrNull(header('x-kannel-to')),
    body: messageText('The body', decode(header('content-type'), body)),
    sim: null,
    device: shortTextOrNull(header('x-kannel-smsc')),
    receivedAt,
    mark: receivedAt === undefined ? undefined : time,
  }
}

const charsetForm = /;\s*charset="?([\w.:-]{1,40})"?/i

function decode(contentType = 'text/plain', body: Buffer): string {
  if (!/^text\/plain\b/i.test(contentType))
    throw badRequest('Content-Type', `must be text/plain for a message of Kannel, not ${quoted(contentType)}`)
  const charset = charsetForm.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw badRequest('Content-Type', `has the unknown charset ${quoted(charset)}`)
  }
}

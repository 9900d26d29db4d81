import { isUtf8 } from 'node:buffer'
import { ApiError } from '@svc/contract/errors'
import { parseAnyText } from '../../../shared/parse-json.js'
import { readForwarder, type Fields } from './forwarder.js'
import { readGateway } from './gateway.js'
import { isKannel, readKannel, type ReadHeader } from './kannel.js'
import { fieldText, unknownFormat, type DeviceMessage } from './message.js'
import type { FormSignature } from './signature.js'

/** A request of a device, read. */
export interface Reading {
  /** Undefined for an event that is not a text message. */
  readonly message: DeviceMessage | undefined
  /** The signature of SmsForwarder, which is not a header; undefined without it. */
  readonly formSignature: FormSignature | undefined
}

/**
 * Reads a message in the form of any of the accepted apps.
 * @param now the time of the server, in milliseconds since the epoch
 * @throws ApiError `bad_request`
 */
export function readMessage(header: ReadHeader, body: Buffer, now: number): Reading {
  if (isKannel(header)) return { message: readKannel(header, body, now), formSignature: undefined }
  const fields = fieldsOf(header('content-type'), body)
  const message = 'event' in fields ? readGateway(fields, now) : readForwarder(fields, now)
  const [timestamp, sign] = [fieldText(fields['timestamp']), fieldText(fields['sign'])]
  return { message, formSignature: timestamp === undefined || sign === undefined ? undefined : { timestamp, sign } }
}

const brace = '{'.charCodeAt(0)

function fieldsOf(contentType: string | undefined, body: Buffer): Fields {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  // A form never begins with a brace, and curl sends JSON with the type of a form.
  const isJson = mediaType === 'application/json' || body[0] === brace
  if (isJson) {
    const value = parseAnyText(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unknownFormat()
    return value as Fields
  }
  if (mediaType !== undefined && mediaType !== 'application/x-www-form-urlencoded') throw unknownFormat()
  return readForm(body)
}

/** Parsing many short fields takes long. */
const fieldsMax = 100

function readForm(body: Buffer): Fields {
  if (!isUtf8(body)) throw new ApiError('bad_request', 'The body is not UTF-8.')
  const text = body.toString()
  if (text.split('&', fieldsMax + 1).length > fieldsMax)
    throw new ApiError('bad_request', `The form must have at most ${String(fieldsMax)} fields.`)
  // Of a field that is given twice the last one counts, as in JSON.
  return Object.fromEntries(new URLSearchParams(text))
}

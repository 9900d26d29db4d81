import { ApiError, badRequest } from '@svc/contract/errors'

/** A message as a device reports it, with texts that a database can store. */
export interface DeviceMessage {
  readonly from: string
  readonly to: string | null
  readonly body: string
  readonly sim: string | null
  readonly device: string | null
  /** In milliseconds since the epoch; undefined if the device reports no plausible time. */
  readonly receivedAt: number | undefined
  /** Time or id that the device reports for the message, equal in its repeats; undefined if not reported. */
  readonly deviceStamp: string | undefined
}

/** The longest concatenated SMS has 255 parts of 153 characters. */
const bodyMaxLength = 40_000

/** Longer numbers and names are cut: the device has no other way to send the message. */
const shortMaxLength = 256

/** A NUL, and half of a surrogate pair, become U+FFFD: PostgreSQL cannot store them. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}')

/** @throws ApiError `bad_request` for a text that is too long */
export function messageText(field: string, text: string): string {
  if (text.length > bodyMaxLength)
    throw badRequest(field, `must have at most ${String(bodyMaxLength)} characters, not ${String(text.length)}`)
  return storable(text)
}

/** A number or a name, cut to 256 characters. */
export const shortText = (text: string): string => storable(text.slice(0, shortMaxLength).trim())

/** A number or a name, cut to 256 characters; null if empty or missing. */
export const shortTextOrNull = (text: string | undefined): string | null => shortText(text ?? '') || null

/** A field of JSON or of a form as text; undefined for a missing one and for an object. */
export function fieldText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** 400 that shows all accepted formats. */
export const unknownFormat = () =>
  new ApiError(
    'bad_request',
    'The body has an unknown format. Accepted: ' +
      'form fields or JSON with from and content (SmsForwarder); ' +
      'JSON with event, deviceId and payload (SMS Gateway for Android); ' +
      'JSON with from and text (Incoming SMS to URL forwarder); ' +
      'text with the header X-Kannel-From (Kannel).',
  )

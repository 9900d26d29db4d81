import { Type, type Static, type TSchema } from 'typebox'
import { byRule, open } from './operation.js'

/** The forms that open details share across areas: see "Common to all" in docs/open-details.md. */

/**
 * A value or null, said as `type: ["string", "null"]`: a serialiser writes it without trying alternatives, which it would
 * have to validate.
 */
export const Nullable = <S extends TSchema & { type: string }>(schema: S, options: object) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'], ...options })

/** A moment in RFC 3339, UTC, milliseconds. Keys end in `_at`. */
export const Time = (description: string) =>
  Type.String(open('Times are RFC 3339 in UTC with milliseconds.', { format: 'date-time', description }))

/** The same, or null where nothing is known. */
export const TimeOrNull = (description: string) =>
  Nullable(
    Type.String({ format: 'date-time' }),
    open('Times are RFC 3339 in UTC with milliseconds; null where unknown.', { description }),
  )

/** Larger integers are rounded when JSON is read, to a number that the caller did not write (RFC 7493, section 2.2). */
export const integerMax = Number.MAX_SAFE_INTEGER

/** The bounds of an id. */
export const idBounds = { minimum: 1, maximum: integerMax } as const

/** Ids are positive integers, as the session id of the specification is one. */
export const Id = (description: string) =>
  Type.Integer(open('Ids are positive integers, as the session id is one.', { ...idBounds, description }))

/** An id in a path. One that is not a positive integer names nothing: 404, not 400. */
export const PathId = (description: string) =>
  Type.String(
    open('Ids are positive integers; anything else names nothing and answers 404.', {
      ...byRule({ pattern: '^[1-9][0-9]{0,15}$' }),
      description,
    }),
  )

/**
 * Text on one line without control, line separator and format characters (Unicode Cc, Zl, Zp, Cf), by which a text can be
 * made to look like another. The two joiners (U+200C, U+200D) are let through: Persian, Indic scripts and emoji are written
 * with them. Written as ranges of the Basic Multilingual Plane: many validators of JSON Schema do not
 * know `\p{Cf}`, and those without Unicode mode read characters beyond that plane as two.
 */
export const plainTextPattern =
  String.raw`^[^\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e` +
  String.raw`\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]*$`

/** `limit` and `before`, taken by the lists that grow without bound. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer(
      open('Page sizes are not shown.', { minimum: 1, maximum: 1000, description: 'How many; default 1000' }),
    ),
  ),
  before: Type.Optional(
    Type.Integer(open('Page sizes are not shown.', { ...idBounds, description: '`next` of the page before' })),
  ),
}

/** `next` and `total`, answered by the lists that grow without bound. */
export const PageData = {
  next: Nullable(
    Type.Integer(),
    open('Page sizes are not shown.', { description: 'What to send as `before`; null on the last page' }),
  ),
  total: Type.Integer(open('Page sizes are not shown.', { description: 'How many there are in all' })),
}

/** An object that refuses fields it does not know: a typo must not read as "nothing to change". */
export const closed = { additionalProperties: false } as const

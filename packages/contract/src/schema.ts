import { Type, type Static, type TSchema } from 'typebox'
import { deletedAtOnceMax, historyDaysDefault, historyDaysMax, reservedInNames } from './limits.js'
import { added, byRule, open } from './operation.js'

/** Schemas that several areas use for open details: see "Common to all" in docs/open-details.md. */

/**
 * A value or null, as `type: ["string", "null"]`. With `anyOf`, the serialiser would have to validate the value first, to
 * choose an alternative.
 */
export const Nullable = <S extends TSchema & { type: string }>(schema: S, options: object) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'], ...options })

/** A time in RFC 3339, in UTC, with milliseconds. Keys end in `_at`. */
export const Time = (description: string) =>
  Type.String(open('Times are RFC 3339 in UTC with milliseconds.', { format: 'date-time', description }))

/** A time, or null if it is unknown. */
export const TimeOrNull = (description: string) =>
  Nullable(
    Type.String({ format: 'date-time' }),
    open('Times are RFC 3339 in UTC with milliseconds; null if unknown.', { description }),
  )

/** JSON readers round larger integers (RFC 7493, section 2.2). */
export const integerMax = Number.MAX_SAFE_INTEGER

/** The range of ids. */
export const idBounds = { minimum: 1, maximum: integerMax } as const

/** An id: a positive integer, like the session id of the specification. */
export const Id = (description: string) =>
  Type.Integer(open('Ids are positive integers, like the session id.', { ...idBounds, description }))

/** The ids of what one request deletes. */
export const Ids = (description: string) =>
  Type.Array(Type.Integer(idBounds), { minItems: 1, maxItems: deletedAtOnceMax, description })

/** How many of the given ids existed. */
export const DeletedCount = Type.Integer({ minimum: 0, description: 'How many of them existed' })

/** An id in a path. Any other text is the id of no resource: 404, not 400. */
export const PathId = (description: string) =>
  Type.String(
    open('Ids are positive integers; any other text answers 404.', {
      ...byRule({ pattern: '^[1-9][0-9]{0,15}$' }),
      description,
    }),
  )

/**
 * Control, line separator, format and default-ignorable characters (Unicode Cc, Zl, Zp, Cf, DI): they can make one text look like
 * another. The joiners (U+200C, U+200D) and the variation selectors are not listed, because some scripts and emoji need them:
 * `visibleTextProblem` checks where they are.
 * Only ranges of the Basic Multilingual Plane: many JSON Schema validators do not know `\p{Cf}`, and
 * those without Unicode mode read a character beyond that plane as two.
 */
const invisible =
  String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5` +
  String.raw`\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb`

/** One line of text without invisible characters. */
export const plainTextPattern = `^[^${invisible}]*$`

/** The same without path separators, and without the characters that Windows refuses: links and headers contain the name. */
export const fileNamePattern = String.raw`^[^/\\${reservedInNames}${invisible}]+$`

/** RFC 1035, section 2.3.4: 255 bytes in a message are 253 characters of text. */
export const nameMaxLength = 253

/** A domain name of two labels or more, in any script. The area checks it with the Public Suffix List. */
export const ApexName = (description: string) =>
  Type.String({
    ...byRule({ minLength: 3, maxLength: nameMaxLength, pattern: String.raw`^[^./:@\s]+(\.[^./:@\s]+)+\.?$` }),
    description,
  })

/** A number of things. */
export const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** The number of days of a history, in a query. */
export const HistoryDays = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: historyDaysMax,
    default: historyDaysDefault,
    description: 'Days until now, in UTC',
  }),
)

/** The day of an entry of a history. */
export const HistoryDay = Type.String({ format: 'date', description: 'The day in UTC, such as 2026-11-23' })

const DayOf = (description: string) =>
  Type.Optional(
    Type.String({
      ...byRule({ pattern: String.raw`^\d{4}-\d{2}-\d{2}$` }),
      description: `${description}: 2026-11-23, in UTC`,
    }),
  )

/** `since` and `until` of lists of what was received. */
export const DaysQuery = { since: DayOf('Only of this day or later'), until: DayOf('Only of this day or earlier') }

/** `limit` and `before` of the lists that have pages. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer(
      open('Page sizes are not shown.', { minimum: 1, maximum: 1000, description: 'Entries per page; default 1000' }),
    ),
  ),
  before: Type.Optional(
    Type.Integer(open('Page sizes are not shown.', { ...idBounds, description: '`next` of the previous page' })),
  ),
}

/** `next` and `total` of the lists that have pages. */
export const PageData = {
  next: Nullable(
    Type.Integer(),
    open('Page sizes are not shown.', {
      description: 'Send it as `before` to get the next page; null on the last page',
    }),
  ),
  total: Type.Integer(open('Page sizes are not shown.', { description: 'Number of entries on all pages' })),
}

/** `limit` and `before` of the lists that come whole by default. */
export const PageOnRequestQuery = {
  limit: Type.Optional(
    Type.Integer(added({ minimum: 1, maximum: 1000, description: 'Entries per page, newest first; default all' })),
  ),
  before: Type.Optional(Type.Integer(added({ ...idBounds, description: '`next` of the previous page' }))),
}

/** `next` and `total` of the lists that come whole by default. */
export const PageOnRequestData = {
  next: Type.Optional(
    Nullable(
      Type.Integer(),
      added({ description: 'Only of a page: send it as `before` to get the next page; null on the last page' }),
    ),
  ),
  total: Type.Optional(Type.Integer(added({ description: 'Only of a page: number of entries on all pages' }))),
}

/** Rejects unknown fields: a typo must not look like "nothing to change". */
export const closed = { additionalProperties: false } as const

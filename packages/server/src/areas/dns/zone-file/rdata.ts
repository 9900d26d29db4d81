import { isIP } from 'node:net'
import type { RecordType } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import { priorityMax } from '@svc/contract/limits'
import { recordTypeRules } from '../../../ports/dns/types/index.js'
import { quoted } from '../../../shared/quoted.js'
import type { GivenRecord } from '../records/record.js'
import type { Token } from './lexer.js'

/** The fields after the type of a record in a zone file, as the value and priority that a caller of the API would give. */

export const lineError = (message: string) => new ApiError('bad_request', message)

/**
 * @param absolute completes a name in the file, without its trailing dot
 * @throws ApiError `bad_request`
 */
export function givenValue(
  type: RecordType,
  tokens: readonly Token[],
  absolute: (name: string) => string,
): Pick<GivenRecord, 'value' | 'priority'> {
  const { hasPriority, fields } = recordTypeRules[type]
  const texts = tokens.map(({ text }) => text)
  const [first] = texts
  if (first === String.raw`\#`)
    throw lineError(
      String.raw`${type} must be written in its own form, not in that of unknown types (\#): ${fields.description}.`,
    )
  if (first === undefined || (fields.count !== Infinity && texts.length !== fields.count))
    throw lineError(`${type} takes ${fields.description}, not ${texts.length} field${texts.length === 1 ? '' : 's'}.`)
  checkWords(texts.slice(0, fields.words))
  // An address is not a relative name. Leave it as it is: the rules of the type reject it and name the right types.
  const name = (text: string) => (isIP(text) === 0 ? absolute(text) : text)
  if (!hasPriority) return { value: fields.toGiven(texts, name) }
  return { value: fields.toGiven(texts.slice(1), name), priority: priorityOf(first) }
}

/** Refuses fields that contain blanks: the API splits and trims values at them, so the field would be misread. */
function checkWords(fields: readonly string[]): void {
  const wrongField = fields.find((field) => /\s/.test(field))
  if (wrongField !== undefined)
    throw lineError(`${quoted(wrongField)} has a blank in it: fields are separated by spaces.`)
}

function priorityOf(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw lineError(`priority must be a whole number from 0 to ${priorityMax}, not ${quoted(text)}.`)
}

/** Seconds, or numbers with units, such as 1h30m, as in BIND. RFC 1035 has seconds only. */
const ttlForm = /^(\d{1,10}|(\d{1,10}[smhdw])+)$/i
/** In characters; a time in all five units has at most 55. */
const ttlMaxLength = 64
const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** @returns undefined for a token that is not a ttl */
export function ttlOf({ text, isQuoted }: Token): number | undefined {
  if (isQuoted || text.length > ttlMaxLength || !ttlForm.test(text)) return undefined
  return Array.from(text.matchAll(/(\d+)([a-z]?)/gi)).reduce(
    (sum, [, digits, unit]) => sum + Number(digits) * (seconds[unit?.toLowerCase() ?? ''] ?? 1),
    0,
  )
}

import { badRequest, nicknameMaxLength } from '@svc/contract'

/** The display name, trimmed: at most 64 code points, no control or format characters; empty clears it. */
export function checkNickname(given: string): string {
  const nickname = given.trim()
  const length = codePoints(nickname)
  if (length > nicknameMaxLength)
    throw badRequest('value', `must have at most ${String(nicknameMaxLength)} characters, not ${String(length)}.`)
  refuseInvisible('value', nickname)
  return nickname
}

/**
 * Line breaks, escape sequences and bidi controls make a name look like another, and rewrite the terminal of an operator
 * who lists it. Allowed are the two joiners (U+200C, U+200D), which Persian, Indic scripts and emoji are written with.
 * @throws ApiError `bad_request` for a control or format character, or a line or paragraph separator
 */
export function refuseInvisible(field: string, text: string): void {
  if (/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw badRequest(field, 'must not contain control characters or invisible format characters.')
}

/** The length in Unicode code points, without a copy of a text that may be a mebibyte. */
function codePoints(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

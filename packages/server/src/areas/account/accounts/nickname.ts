import { badRequest, nicknameMaxLength } from '@svc/contract'

/**
 * Checks a nickname; an empty one clears it.
 * @returns the nickname without spaces at its ends
 * @throws ApiError `bad_request` for more than 64 code points, control or format characters
 */
export function checkNickname(given: string): string {
  const nickname = given.trim()
  const length = codePoints(nickname)
  if (length > nicknameMaxLength)
    throw badRequest('value', `must have at most ${nicknameMaxLength} characters, not ${length}`)
  refuseInvisible('value', nickname)
  return nickname
}

/**
 * Rejects line breaks, escape sequences and bidi controls: they can make a name look like another one, or change an operator's
 * terminal. The two joiners (U+200C, U+200D) are allowed, because Persian, Indic scripts and emoji need them.
 * @throws ApiError `bad_request` for a control or format character, or a line or paragraph separator
 */
export function refuseInvisible(field: string, text: string): void {
  if (/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw badRequest(field, 'must not contain control characters or invisible format characters')
}

/** Counts Unicode code points without a copy, because the text may have a mebibyte. */
function codePoints(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

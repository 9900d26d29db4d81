import { badRequest } from '@svc/contract/errors'
import { nicknameMaxLength } from '@svc/contract/limits'
import { refuseInvisible } from '../../../shared/visible-text.js'

/**
 * Checks a nickname; an empty one clears it.
 * @param field its name in the request
 * @returns the nickname without spaces at its ends
 * @throws ApiError `bad_request` for more than 64 code points, control or format characters
 */
export function checkNickname(given: string, field = 'value'): string {
  const nickname = given.trim()
  const length = codePoints(nickname)
  if (length > nicknameMaxLength)
    throw badRequest(field, `must have at most ${nicknameMaxLength} characters, not ${length}`)
  refuseInvisible(field, nickname)
  return nickname
}

/** Counts Unicode code points without a copy, because the text may have a mebibyte. */
function codePoints(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

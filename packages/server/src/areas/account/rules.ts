import { badRequest, nicknameMaxLength } from '@svc/contract'

/** The display name, trimmed: at most 64 code points, no control characters or line breaks; empty clears it. */
export function checkNickname(given: string): string {
  const nickname = given.trim()
  const length = Array.from(nickname).length
  if (length > nicknameMaxLength)
    throw badRequest('value', `must have at most ${String(nicknameMaxLength)} characters, not ${String(length)}.`)
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(nickname)) throw badRequest('value', 'must not contain control characters.')
  return nickname
}

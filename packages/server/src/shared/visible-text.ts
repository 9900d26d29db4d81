import { badRequest } from '@svc/contract/errors'

/**
 * Rejects line breaks, escape sequences and bidi controls: they can make a name look like another one, or change an operator's
 * terminal. The two joiners (U+200C, U+200D) are allowed, because Persian, Indic scripts and emoji need them.
 * @throws ApiError `bad_request` for a control or format character, or a line or paragraph separator
 */
export function refuseInvisible(field: string, text: string): void {
  if (/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw badRequest(field, 'must not contain control characters or invisible format characters')
}

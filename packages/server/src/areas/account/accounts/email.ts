import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'

/** RFC 5321, 4.5.3.1. */
const longestEmail = 254
const longestLocalPart = 64

const atom = String.raw`[^\s@.,:;<>()[\]\\"\p{C}]+`
const label = String.raw`[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`
const emailForm = new RegExp(String.raw`^${atom}(\.${atom})*@${label}(\.${label})*$`, 'u')

/**
 * Checks an email address. RFC 5322 also allows quoted strings and comments, which are refused here.
 * @returns the address in lower case
 * @throws ApiError `bad_request` for the field `email`
 */
export function normalEmail(given: string): string {
  const email = given.trim().toLowerCase()
  if (!emailForm.test(email) || email.indexOf('@') > longestLocalPart)
    throw badRequest('email', `must be an address such as you@example.com, not ${quoted(given)}`)
  const bytes = Buffer.byteLength(email)
  if (bytes > longestEmail) throw badRequest('email', `must have at most ${longestEmail} bytes, not ${bytes}`)
  return email
}

/** The scheme at the start of an address, with the slashes that follow (RFC 3986, section 3.1). */
const scheme = /^[a-z][a-z\d+.-]*:\/*/i

/**
 * A setting as messages may repeat it: user and password of an address, and its query, as `***`. The text need not be a
 * valid address: all before the last @ is masked, so that a password with characters that should be percent-encoded is too.
 */
export function maskPasswords(text: string): string {
  const prefix = scheme.exec(text)?.[0] ?? ''
  const rest = text.slice(prefix.length)
  const at = rest.lastIndexOf('@')
  const isSecret = at >= 0 && (prefix !== '' || rest.slice(0, at).includes(':'))
  const shown = isSecret ? `***${rest.slice(at)}` : rest
  const query = shown.indexOf('?') + 1
  return prefix + (prefix !== '' && query > 0 && query < shown.length ? `${shown.slice(0, query)}***` : shown)
}

/** A setting, or one entry of a list, in quotes. */
export const shown = (text: string): string => JSON.stringify(maskPasswords(text))

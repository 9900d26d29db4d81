/** The scheme of a URL, with the slashes after it (RFC 3986, section 3.1). */
const scheme = /^[a-z][a-z\d+.-]*:\/*/i

/**
 * A setting for messages: user, password and query of a URL become `***`. The text may be an invalid URL: everything before
 * the last @ is masked, also a password with characters that should be percent-encoded.
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

/** A masked setting, or one entry of a list, in quotes. */
export const shown = (text: string): string => JSON.stringify(maskPasswords(text))

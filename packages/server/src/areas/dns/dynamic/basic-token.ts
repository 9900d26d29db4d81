const form = /^basic +([a-z0-9+/]+={0,2}) *$/i
const tokenForm = /^svc_[0-9a-f]{32}$/

/**
 * The token that is the password of HTTP's Basic authentication (RFC 7617). The user name may be anything.
 * @param rawHeaders names and values alternate
 * @returns undefined without the header, with several, and for a password of another form
 */
export function basicToken(rawHeaders: readonly string[]): string | undefined {
  const given = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization')
  const [header = '', ...others] = given
  const encoded = others.length > 0 ? undefined : form.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const credentials = Buffer.from(encoded, 'base64').toString('latin1')
  const colon = credentials.indexOf(':')
  const password = credentials.slice(colon + 1)
  return colon >= 0 && tokenForm.test(password) ? password : undefined
}

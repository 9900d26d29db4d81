/** What the codes of failed connections mean. The messages of Node.js contain addresses. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name of the target does not exist.',
  ENODATA: 'The name of the target has no address.',
  ESERVFAIL: 'The nameservers of the target failed.',
  ETIMEOUT: 'The nameservers of the target did not answer.',
  ECONNREFUSED: 'The target refused the connection.',
  ECONNRESET: 'The target closed the connection without an answer.',
  EPIPE: 'The target closed the connection without an answer.',
  ETIMEDOUT: 'The target did not accept the connection in time.',
  EHOSTUNREACH: 'The target cannot be reached.',
  ENETUNREACH: 'The target cannot be reached.',
  CERT_HAS_EXPIRED: 'The certificate of the target has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the target is for another name.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too long.',
}

/** @returns why a request failed, for the user who chose the target: without an address */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === undefined) return 'The request to the target failed.'
  const reason = reasons[code]
  if (reason !== undefined) return reason
  return code.startsWith('HPE_')
    ? 'The answer of the target is not HTTP.'
    : `The request to the target failed (${code}).`
}

/** Codes are on the error itself, or on the first of the attempts for several addresses. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

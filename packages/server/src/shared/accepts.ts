import Negotiator from 'negotiator'

/** What clients accept (RFC 9110, section 12.5). */

/** Far more than browsers send. Parsing 64 KiB would block the event loop for 50 ms. */
const acceptMaxLength = 1024

/**
 * Whether to lead a client to a page: a browser's Accept header names HTML and not JSON. Any other client, such as curl, accepts any
 * type.
 */
export function prefersPage(accept = ''): boolean {
  if (accept.length > acceptMaxLength) return false
  const accepted = new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes()
  return accepted.includes('text/html') && !accepted.includes('application/json')
}

/** A client without Accept-Encoding, such as curl, gets an uncompressed answer. */
export function acceptsGzip(encodings = ''): boolean {
  if (encodings.length > acceptMaxLength) return false
  return new Negotiator({ headers: { 'accept-encoding': encodings } }).encodings(['gzip', 'identity'])[0] === 'gzip'
}

import Negotiator from 'negotiator'

/** Far more than browsers send. Parsing 64 KiB would block the event loop for 50 ms. */
const acceptMaxLength = 1024

/**
 * Whether GET /v1 should lead to the reference page: a browser's Accept header names HTML and not JSON. Any other client
 * gets the catalogue, such as curl, which accepts any type.
 */
export function prefersPage(accept = ''): boolean {
  if (accept.length > acceptMaxLength) return false
  const accepted = new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes()
  return accepted.includes('text/html') && !accepted.includes('application/json')
}

/**
 * Whether who asks for GET /v1 is a browser, to be sent to the reference page: its Accept header names HTML and not
 * JSON. Anything else, curl's "*" included, gets the catalogue.
 */
export function prefersPage(accept = ''): boolean {
  const named = mediaTypes(accept)
  return named.has('text/html') && !named.has('application/json')
}

/** The media types an Accept header names; those of weight 0 are named to be refused (RFC 9110, 12.4.2). */
const mediaTypes = (accept: string): ReadonlySet<string | undefined> =>
  new Set(
    accept
      .toLowerCase()
      .split(',')
      .filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/.test(range))
      .map((range) => range.split(';', 1)[0]?.trim()),
  )

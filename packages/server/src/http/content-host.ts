import type { IncomingMessage } from 'node:http'

/** The host that serves what users upload. Its name in a browser differs from that of the API, so scripts there cannot use the API. */
export const contentHostOf = (sitesDomain: string): string => `content.${sitesDomain}`

/** Tells whether a request is for a host, on any port. A host with a user or another irregularity does not match. */
export function hostMatcher(host: string): (request: Pick<IncomingMessage, 'url' | 'headers'>) => boolean {
  const form = new RegExp(String.raw`^${host.replaceAll('.', String.raw`\.`)}\.?(?::\d*)?$`, 'i')
  return (request) => {
    const named = request.headers.host
    // Without the header, HTTP/1.1 is an error and HTTP/1.0 names no host.
    return named !== undefined && form.test(authorityIn(request.url) ?? named)
  }
}

/** The authority of a request target in absolute form, which overrides the header Host (RFC 9112, section 3.2.2). */
export const authorityIn = (target = '/'): string | undefined =>
  target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]

/**
 * Whether a request has several Host headers (RFC 9112, section 3.2). Node.js reads the first one, and a proxy may have read another:
 * they would disagree about the site.
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

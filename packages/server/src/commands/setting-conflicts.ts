import type { Config } from '../config/config.js'
import { contentHostOf } from '../http/content-host.js'
import { isLocalHost } from '../shared/local-host.js'

type Checked = Pick<Config, 'host' | 'port' | 'publicUrl' | 'sitesDomain' | 'trustProxy' | 'geoHeader' | 'edge' | 'tls'>

/** Settings that are valid but do not work together, one sentence each. */
export function settingConflicts(config: Checked): string[] {
  const { publicUrl, sitesDomain, trustProxy, geoHeader, tls } = config
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  const contentHost = contentHostOf(sitesDomain)
  const hasProxy = trustProxy.length > 0
  const conflicts: string[] = []
  if (url?.hostname === contentHost)
    conflicts.push(
      `SVC_PUBLIC_URL has the host of share links, ${contentHost}, where the API is not served: use another host name.`,
    )
  if (url !== undefined && !isLocalHost(url.hostname) && isLocalHost(sitesDomain))
    conflicts.push(
      `Share links have the host ${contentHost}, which other machines cannot open: set SVC_SITES_DOMAIN to a domain that points to this server.`,
    )
  if (url?.protocol === 'https:' && !hasProxy && tls === undefined)
    conflicts.push(
      'SVC_PUBLIC_URL has https, so a proxy ends TLS, but SVC_TRUST_PROXY is empty: all clients have the address of the proxy, and share one limit of sign-ins.',
    )
  if (geoHeader !== undefined && !hasProxy)
    conflicts.push(
      `SVC_GEO_HEADER is ${geoHeader}, but is never read: SVC_TRUST_PROXY names no proxy that may send it.`,
    )
  if (isOwnAddress(config)) conflicts.push('SVC_EDGE is the address of svc itself: set it to the address of Varnish.')
  return conflicts
}

function isOwnAddress({ edge, host, port }: Checked): boolean {
  if (edge.kind !== 'varnish') return false
  const url = new URL(edge.url)
  const edgePort = url.port === '' ? { 'http:': 80, 'https:': 443 }[url.protocol] : Number(url.port)
  return edgePort === port && url.hostname === (host.includes(':') ? `[${host}]` : host)
}

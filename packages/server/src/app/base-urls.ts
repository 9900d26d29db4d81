import type { Config } from '../config/config.js'
import { contentHostOf } from '../http/content-host.js'

/** The server's public address; the address that it listens on if none is configured. */
export const baseUrlOf = ({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The public address of a site, by its name. It has the scheme and the port of the server's public address. */
export function siteUrlOf(config: Pick<Config, 'publicUrl' | 'port' | 'sitesDomain'>): (name: string) => string {
  const { protocol, port } = new URL(contentUrlOf(config))
  return (name) => `${protocol}//${name}.${config.sitesDomain}${port && `:${port}`}/`
}

/** The public address of the content host. It has the scheme and the port of the server's public address. */
export function contentUrlOf({
  publicUrl,
  port,
  sitesDomain,
}: Pick<Config, 'publicUrl' | 'port' | 'sitesDomain'>): string {
  const url = new URL(publicUrl ?? `http://localhost:${port}`)
  url.hostname = contentHostOf(sitesDomain)
  return url.origin
}

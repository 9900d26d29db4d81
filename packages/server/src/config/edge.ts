import { webUrl } from './parsers.js'
import { InvalidSetting } from './setting.js'

const form = 'must be embedded or varnish+http://<host>:<port>'

/** Parses SVC_EDGE. @returns the URL of the Varnish, or undefined for the embedded cache */
export function edgeServer(text: string): string | undefined {
  if (text.toLowerCase() === 'embedded') return undefined
  const target = /^varnish\+(https?:.*)$/i.exec(text)?.[1] ?? ''
  const url = webUrl(target) ?? { origin: '', href: '' }
  if (url.href !== `${url.origin}/`) throw new InvalidSetting(`${form}, without a path`)
  return url.origin
}

const cacheBytesMax = 1_000_000_000_000

/** The size of the cache in memory; 0 for no cache. */
export function cacheBytes(text: string): number {
  const number = /^\d{1,13}$/.test(text) ? Number(text) : NaN
  if (number <= cacheBytesMax) return number
  throw new InvalidSetting(`must be a whole number, 0 to ${String(cacheBytesMax)}`)
}

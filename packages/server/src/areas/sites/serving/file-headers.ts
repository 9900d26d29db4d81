import { contentType } from 'mime-types'

/** Shorter than the shortest time in which a user notices an old page: each use is revalidated, and a 304 is cheap. */
const revalidated = 'public, max-age=0, must-revalidate'
const immutable = 'public, max-age=31536000, immutable'

/** The headers of a redirect, which the next deployment may change. */
export const redirectHeaders = { 'cache-control': revalidated, 'x-content-type-options': 'nosniff' }

/** The headers of a file before those of `_headers`. @param file its path in the archive @param status of the answer */
export const defaultHeaders = (file: string, status: 200 | 404): Readonly<Record<string, string>> => ({
  'content-type': mediaTypeOf(file),
  'cache-control': status === 200 && isHashed(file) ? immutable : revalidated,
  'x-content-type-options': 'nosniff',
})

/** Text types have a charset: without one, a browser may read them as Windows-1252. */
function mediaTypeOf(file: string): string {
  const name = file.slice(file.lastIndexOf('/') + 1)
  return (name.includes('.') && contentType(name.slice(name.lastIndexOf('.')))) || 'application/octet-stream'
}

const extensions = String.raw`(?:\.[a-z\d]{1,5}){1,2}$`
const hexHash = new RegExp(String.raw`[.-](?=[a-f\d]*[a-f])(?=[a-f\d]*\d)[a-f\d]{8,64}${extensions}`)
const shortHash = new RegExp(String.raw`[.-]([\w-]{8})${extensions}`)

/**
 * Whether a build tool has put a hash of the content into the name, such as `app.3f2a1b9c.js` (webpack, Parcel: 8 or more
 * hexadecimal digits) or `index-BxK3k2_a.js` (Vite, esbuild: 8 characters of Base64url or Base32). A name that a person gives a file
 * must not match, so a hash needs letters between its digits: `photo-20261122.jpg` and `style-homepage.css` have none.
 */
export function isHashed(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (/\.html?$/.test(name)) return false
  if (hexHash.test(name)) return true
  const hash = shortHash.exec(name)?.[1] ?? ''
  const isMixed = /[a-z]/.test(hash) && /[A-Z]/.test(hash.slice(1))
  const isBase32 = /^[A-Z2-7]{8}$/.test(hash) && /\d\D+\d/.test(hash)
  return /\d[A-Za-z_-]/.test(hash) && (isMixed || isBase32)
}

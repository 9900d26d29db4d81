import { contentType } from 'mime-types'

/** Shorter than the shortest time in which a user notices an old page: each use is revalidated, and a 304 is cheap. */
const revalidated = 'public, max-age=0, must-revalidate'
const immutable = 'public, max-age=31536000, immutable'

/** The headers of a redirect, which the next deployment may change. */
export const redirectHeaders = { 'cache-control': revalidated, 'x-content-type-options': 'nosniff' }

/**
 * The headers of a file before those of `_headers`. An answer is immutable if the address itself has the hash: a rule can serve a file with a
 * hash at another address, and another file at an address with a hash.
 * @param file its path in the archive @param request the decoded path of the request, and the status of the answer
 */
export const defaultHeaders = (
  file: string,
  request: { readonly path: string; readonly status: 200 | 404 },
): Readonly<Record<string, string>> => ({
  'content-type': mediaTypeOf(file),
  'cache-control': request.status === 200 && request.path === `/${file}` && isHashed(file) ? immutable : revalidated,
  'x-content-type-options': 'nosniff',
})

/** Text types have a charset: without one, a browser may read them as Windows-1252. */
function mediaTypeOf(file: string): string {
  const name = file.slice(file.lastIndexOf('/') + 1)
  return (name.includes('.') && contentType(name.slice(name.lastIndexOf('.')))) || 'application/octet-stream'
}

/** What bundlers name by its content. PDFs, archives and videos have names that people gave them. */
const code = String.raw`(?:\.(?:chunk|min))?\.(?:css|[cm]?js|wasm|woff2?|ttf|otf)(?:\.map)?$`
const image = String.raw`\.(?:svg|png|jpe?g|gif|webp|avif|ico)$`

/** Hexadecimal digits, among them a letter and a digit. */
const hex = (form: string) => String.raw`[.-](?=[a-f\d]*[a-f])(?=[a-f\d]*\d)(?:${form})`
const long = String.raw`[a-f\d]{16}|[a-f\d]{20}|[a-f\d]{32}|[a-f\d]{40}|[a-f\d]{64}`
const longHash = new RegExp(`${hex(long)}(?:${code}|${image})`)
const shortHex = new RegExp(String.raw`${hex(String.raw`(?!\d*(?:19|20)\d\d)[a-f\d]{8}`)}${code}`)
const short = new RegExp(String.raw`[.-](?!\w*(?:19|20)\d\d)([\w-]{8})${code}`)

/**
 * Whether a bundler has put a hash of the content into the name: 8 hexadecimal digits or more, as in `app.3f2a1b9c.js` (webpack, Parcel,
 * Next.js), or 8 characters of Base64url or Base32, as in `index-BxK3k2_a.js` (Vite, esbuild). Browsers would keep the first content
 * of any other file for a year, so a name in doubt has no hash: no year, no words, and more than 8 digits for images, which people
 * name by dates and article numbers.
 */
export function isHashed(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (longHash.test(name) || shortHex.test(name)) return true
  const hash = short.exec(name)?.[1] ?? ''
  const isMixed = /[a-z]/.test(hash) && /[A-Z]/.test(hash.slice(1)) && !hasWord(hash)
  const isBase32 = /^[A-Z2-7]{8}$/.test(hash) && /\d\D+\d/.test(hash)
  return /\d[A-Za-z_-]/.test(hash) && (isMixed || isBase32)
}

/** Three letters with a vowel, such as `inal` in `FinalV2b`. */
const hasWord = (hash: string): boolean =>
  hash.match(/[A-Za-z][a-z]{2,}/g)?.some((letters) => /[aeiouy]/i.test(letters)) === true

import { randomBytes } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { allowedHeaders } from '../../packages/server/src/areas/sites/rules/headers.js'
import { buildZip, stored, type BuiltEntry } from '../../packages/server/test/built-zip.js'
import { accountToken } from '../account-token.js'
import { guardedServer } from './guarded-server.js'

/** No deploy of a site blocks the event loop. */

const { place, url, expectNoGap } = guardedServer('sqlite')

let token: string
beforeAll(async () => {
  token = await accountToken(place(), 'grace@example.com', '*')
})

/** @returns the status, or the message of a refused archive */
async function deploy(name: string, archive: Buffer): Promise<number | string> {
  const answer = await fetch(`${url()}/v1/sites/deploy?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
    body: new Uint8Array(archive),
  })
  const { message } = (await answer.json()) as { message?: string }
  return answer.status === 400 && message !== undefined ? message : answer.status
}

const times = (count: number, entryOf: (i: number) => BuiltEntry) => Array.from({ length: count }, (_, i) => entryOf(i))

/** A page that is packed once for many entries. */
const page = { crc: crc32('page'), size: 4, packed: deflateRawSync('page') }

/** 40 MB that are packed quickly. */
function quicklyPacked(name: string): BuiltEntry {
  const data = Buffer.from(randomBytes(1_000_000).toString('hex').repeat(20))
  return { name, data, packed: deflateRawSync(data, { level: 1 }) }
}

/** In an order that has nothing to do with the positions in the archive. */
const shuffled = (i: number) => (i * 7919) % 20_000

/** 32 folders, which no other file is in. */
const deep = (i: number) => `${i}/${Array.from({ length: 31 }, (_, level) => `${level}`).join('/')}/`

const withRules = (headers: string, redirects = '') => [
  { name: 'index.html', data: 'Home' },
  { name: '_headers', data: headers },
  { name: '_redirects', data: redirects },
]
const lines = (count: number, lineOf: (i: number) => string) => Array.from({ length: count }, (_, i) => lineOf(i))
const placeholders = (count: number) => lines(count, (i) => `/:p${i}`).join('')
const listed = (i: number): string => allowedHeaders[i % allowedHeaders.length] ?? ''
const manyHeaders = (path: string, nameOf: (i: number) => string = listed) =>
  [path, ...lines(500, (i) => `  ${nameOf(i)}: `.padEnd(195, 'v'))].join('\n')
const manyRedirects = [
  ...lines(100, (i) => `/d${i}/* /to/:splat`),
  ...lines(2_000, (i) => `/caf%C3%A9-${i} /to-${i}`),
].join('\n')

it.each<[what: string, entries: () => BuiltEntry[], expected: number | RegExp]>([
  ['20,000 small files', () => times(20_000, (i) => ({ name: `${shuffled(i)}/index.html`, data: `page ${i}` })), 200],
  ['20,000 equal files', () => times(20_000, (i) => ({ name: `${shuffled(i)}.html`, ...page })), 200],
  ['40,000 folders', () => times(40_000, (i) => ({ name: `${i}/` })), /has no files/],
  ['20,000 files in 40,000 folders', () => times(20_000, (i) => ({ name: `${shuffled(i)}/${i}/x`, ...page })), 200],
  [
    '20,000 files below 20,000 folders each',
    () => times(20_000, (i) => ({ name: `${deep(i)}x`, ...page })),
    /has more than 40000 folders/,
  ],
  ['20,000 names of the most bytes', () => times(20_000, (i) => ({ name: `${'n'.repeat(195)}${i}`, ...page })), 200],
  [
    '20,000 long names',
    () => times(20_000, (i) => ({ name: `${'n'.repeat(240)}${i}`, ...page })),
    /has names of more than 4000000 bytes/,
  ],
  ['files in 32 folders', () => times(1_250, (i) => ({ name: `${i}/${'a/'.repeat(31)}b` })), 200],
  [
    'too many files in 32 folders',
    () => times(2_000, (i) => ({ name: `${i}/${'a/'.repeat(31)}b` })),
    /has more than 40000 folders/,
  ],
  ['files with long extra fields', () => times(1_000, (i) => ({ name: `${i}`, extra: Buffer.alloc(4_000) })), 200],
  ['files of 256 KiB', () => times(100, (i) => ({ name: `${i}.css`, data: `${i} `.repeat(256 * 256) })), 200],
  ['a file of 40 MB', () => [{ name: 'a', data: randomBytes(40_000_000), method: stored }], 200],
  ['a compressed file of 40 MB', () => [quicklyPacked('a')], 200],
  ['rules of many lines', () => withRules(manyHeaders('/*'), manyRedirects), 200],
  ['rules with the longest placeholders', () => withRules(manyHeaders(placeholders(10)), manyRedirects), 200],
  [
    'rules with other headers',
    () =>
      withRules(
        manyHeaders('/*', (i) => `X-${i}`),
        manyRedirects,
      ),
    /cannot set the header/,
  ],
  ['a path with too many placeholders', () => withRules(manyHeaders(placeholders(250))), /at most 10 placeholders/],
  [
    'a rule that fills too many placeholders',
    () => withRules('', `${placeholders(200)} /${':p1'.repeat(200)}`),
    /_redirects, line 1: /,
  ],
])('a deploy of %s does not block the event loop', { timeout: 300_000 }, async (what, entries, expected) => {
  const archive = buildZip(entries())
  await expectNoGap(async () => {
    const outcome = await deploy(what.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), archive)
    if (typeof expected === 'number') expect(outcome).toBe(expected)
    else expect(outcome).toMatch(expected)
  })
})

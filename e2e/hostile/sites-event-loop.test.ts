import { randomBytes } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { buildZip, stored, type BuiltEntry } from '../../packages/server/test/built-zip.js'
import { accountToken } from '../account-token.js'
import { guardedServer } from './guarded-server.js'

/** No deploy of a site blocks the event loop. */

const { place, url, expectNoGap } = guardedServer('sqlite')

let token: string
beforeAll(async () => {
  token = await accountToken(place(), 'grace@example.com', '*')
})

async function deploy(name: string, archive: Buffer): Promise<number> {
  const answer = await fetch(`${url()}/v1/sites/deploy?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
    body: new Uint8Array(archive),
  })
  await answer.text()
  return answer.status
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

const withRules = (headers: string, redirects = '') => [
  { name: 'index.html', data: 'Home' },
  { name: '_headers', data: headers },
  { name: '_redirects', data: redirects },
]
const lines = (count: number, lineOf: (i: number) => string) => Array.from({ length: count }, (_, i) => lineOf(i))
const placeholders = (count: number) => lines(count, (i) => `/:p${i}`).join('')
const manyHeaders = (path: string) => [path, ...lines(500, (i) => `  X-${i}: ${'v'.repeat(180)}`)].join('\n')
const manyRedirects = [
  ...lines(100, (i) => `/d${i}/* /to/:splat`),
  ...lines(2_000, (i) => `/caf%C3%A9-${i} /to-${i}`),
].join('\n')

it.each<[what: string, entries: () => BuiltEntry[], status: number]>([
  ['20,000 small files', () => times(20_000, (i) => ({ name: `${shuffled(i)}/index.html`, data: `page ${i}` })), 200],
  ['20,000 equal files', () => times(20_000, (i) => ({ name: `${shuffled(i)}.html`, ...page })), 200],
  ['40,000 folders', () => times(40_000, (i) => ({ name: `${i}/` })), 400],
  ['files in 32 folders', () => times(2_000, (i) => ({ name: `${i}/${'a/'.repeat(31)}b` })), 200],
  ['files with long extra fields', () => times(1_000, (i) => ({ name: `${i}`, extra: Buffer.alloc(4_000) })), 200],
  ['files of 256 KiB', () => times(100, (i) => ({ name: `${i}.css`, data: `${i} `.repeat(256 * 256) })), 200],
  ['a file of 40 MB', () => [{ name: 'a', data: randomBytes(40_000_000), method: stored }], 200],
  ['a compressed file of 40 MB', () => [quicklyPacked('a')], 200],
  ['rules of many lines', () => withRules(manyHeaders('/*'), manyRedirects), 200],
  ['rules with the longest placeholders', () => withRules(manyHeaders(placeholders(10)), manyRedirects), 200],
  ['a path with too many placeholders', () => withRules(manyHeaders(placeholders(250))), 400],
  ['a rule that fills too many placeholders', () => withRules('', `${placeholders(200)} /${':p1'.repeat(200)}`), 400],
])('%s', { timeout: 300_000 }, async (what, entries, status) => {
  const archive = buildZip(entries())
  await expectNoGap(async () => {
    expect(await deploy(what.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), archive)).toBe(status)
  })
})

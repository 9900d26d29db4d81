import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../packages/server/src/areas/account/accounts/passwords.js'
import { accountStore } from '../../packages/server/src/areas/account/accounts/store.js'
import { largeAtOnce } from '../../packages/server/src/areas/deployments/large-bodies.js'
import { deploymentStore } from '../../packages/server/src/areas/deployments/store.js'
import { withDatabase } from '../../packages/server/src/commands/with-database.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import { parametersMax, queryMaxBytes } from '../../packages/server/src/http/head-limits.js'
import { runSql } from '../../packages/server/test/site.js'
import { guardedServer } from './guarded-server.js'
import { rawRequest } from './raw-request.js'

/** No request to a form or a short link, and no export of submissions, blocks the event loop. */

const { place, url, expectNoGap } = guardedServer('sqlite', '--trust-proxy', '127.0.0.1')
const credentials = { email: 'bob@example.com', password: 'correct horse battery' }
/** A hundred large bodies at once are within the shares of these forms and of their two accounts. */
const formSlugs = ['form-1', 'form-2', 'form-3', 'form-4']
let exportedId: number
const target = `https://example.com/?${'a=1&'.repeat(100)}b`

beforeAll(async () => {
  const { cwd, env } = place()
  const config = readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })
  await withDatabase(config, async (db) => {
    const owner = await accountStore(db).add({
      email: credentials.email,
      nickname: '',
      passwordHash: await hashPassword(credentials.password),
      now: Date.now(),
    })
    const deployments = deploymentStore(db, 0, () => undefined)
    const none = { target: null, secret: null, expiresAt: null, maxUses: null, isEnabled: true }
    const form = { ...none, kind: 'form', settings: '{"next_urls":[],"origins":[]}' } as const
    const link = { ...none, kind: 'shortlink', settings: '{"status":302,"forward_query":true}', target } as const
    const other = await accountStore(db).add({
      email: 'carol@example.com',
      nickname: '',
      passwordHash: '',
      now: Date.now(),
    })
    for (const [index, slug] of formSlugs.entries())
      await deployments.create(index % 2 === 0 ? owner : other, { ...form, slug })
    await deployments.create(owner, { ...link, slug: 'link' })
    exportedId = (await deployments.create(owner, { ...form, slug: 'exported' }))!.id
  })
  await runSql(config, manySubmissions(exportedId))
})

/** 10,000 submissions with 200 different fields, 100 in each. */
function manySubmissions(formId: number): string {
  const fieldsOf = (prefix: string) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${prefix}${String(n)}`, '=some text'])))
  const [even, odd] = [fieldsOf('a'), fieldsOf('b')]
  return `insert into form_submission (deployment_id, id, received_at, network, user_agent, subject, size, fields)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
    select ${String(formId)}, n, 1, '', '', null, ${String(even.length)}, case n % 2 when 0 then '${even}' else '${odd}' end from numbers`
}

/** Counted in the bytes, because decoding megabytes takes a second. */
function newlinesIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++
  return count
}

let networks = 0

/** Sends a request from a new network, because of the limits for networks. */
const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string | Buffer) => {
  const from = `10.${String(networks >> 8)}.${String(networks++ & 255)}.1`
  return rawRequest(url(), {
    method,
    path,
    headers: { host: 'content.localhost', 'x-forwarded-for': from, ...headers },
    ...(body !== undefined && { body }),
  })
}

const size = 128 * 1024
const filled = (piece: string, start = '', end = '') =>
  start + piece.repeat(Math.floor((size - start.length - end.length) / piece.length)) + end
const part = (name: string, value = '') => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

const urlencoded = 'application/x-www-form-urlencoded'
const json = 'application/json'
const form = 'multipart/form-data; boundary=x'

/** The statuses of a hundred bodies at once, each for the next of the forms. */
const statusesOf = (type: string, bytes: Buffer, slugs: readonly string[]) =>
  Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const answer = await send('POST', `/f/${slugs[n % slugs.length] ?? ''}`, { 'content-type': type }, bytes)
      return answer?.status
    }),
  )

describe('forms', () => {
  it.each<[string, string, string, number]>([
    ['many pairs', urlencoded, filled('a&'), 400],
    ['empty pairs', urlencoded, filled('&'), 400],
    ['percent signs', urlencoded, filled('%41', 'a='), 200],
    ['a long value', urlencoded, filled('x', 'a='), 413],
    ['deep JSON', json, filled('[', '{"a":'), 400],
    ['many values of JSON', json, filled('1,', '{"a":[', '1]}'), 400],
    ['many fields of JSON', json, filled('"a":1,', '{', '"b":1}'), 400],
    ['a long text of JSON', json, filled('\\u00e4', '{"a":"', '"}'), 200],
    ['many parts', form, filled(part('a')), 400],
    ['many headers', form, filled('X-A: b\r\n', '--x\r\n'), 400],
    ['boundaries that are none', form, filled('\r\n--', part('a').trimEnd() + '\r\n\r\n', '\r\n--x--\r\n'), 413],
    ['dashes', form, filled('-'), 400],
    ['nothing but spaces', urlencoded, filled('+', 'a='), 400],
    ['nothing but spaces in the most values', urlencoded, filled('%20', `${'a=&'.repeat(99)}a=`), 400],
    ['nothing but spaces of JSON', json, filled('\\u2003', '{"a":"', '"}'), 400],
    ['a long name', form, part(filled('%22', '', ' '.repeat(500))) + '--x--\r\n', 400],
  ])('100 bodies with %s do not block the event loop', async (_, type, body, status) => {
    const bytes = Buffer.from(body).subarray(0, size)
    await expectNoGap(async () => expect(await statusesOf(type, bytes, formSlugs)).toEqual(Array(100).fill(status)))
  })

  it('100 bodies for one form take its share of them, and do not block the event loop', async () => {
    const bytes = Buffer.from(filled('%41', 'a='))
    await expectNoGap(async () => {
      const statuses = await statusesOf(urlencoded, bytes, formSlugs.slice(0, 1))
      expect(new Set([...statuses, 503])).toEqual(new Set([200, 503]))
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(largeAtOnce.deployment)
    })
  })
})

it('three exports of 10,000 submissions with 200 columns do not block the event loop', async () => {
  const signedIn = await fetch(`${url()}/console/api/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url() },
    body: JSON.stringify(credentials),
  })
  expect(signedIn.status).toBe(200)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const download = async () => {
    const answer = await fetch(`${url()}/console/api/deployments/${String(exportedId)}/submissions/export`, {
      headers: { cookie },
    })
    let lines = 1
    for await (const chunk of answer.body ?? []) lines += newlinesIn(chunk)
    return lines
  }
  await expectNoGap(async () => {
    expect(await Promise.all([download(), download(), download()])).toEqual([10_002, 10_002, 10_002])
  })
})

/** Percent-encoded names, which are decoded one by one. */
const mostParameters = (length: number) => {
  const all = `${'%41'.repeat(13)}&`.repeat(parametersMax - 1)
  return all + '%41'.repeat(Math.floor((length - all.length) / 3))
}

describe('short links', () => {
  it.each<[string, string, (n: number) => Record<string, string>, number]>([
    ['User-Agents', '/l/link', (n: number) => ({ 'user-agent': `${'1.'.repeat(15_000)}${String(n)}` }), 302],
    [
      'User-Agents of other forms',
      '/l/link',
      (n: number) => ({ 'user-agent': `${String(n)}${'a b('.repeat(8_000)}` }),
      302,
    ],
    ['queries of the most parameters', `/l/link?${mostParameters(4_096)}`, () => ({}), 302],
    ['queries of short parameters', `/l/link?${'c&'.repeat(parametersMax - 1)}`, () => ({}), 302],
    ['queries of too many parameters', `/l/link?${'c&'.repeat(2_048)}`, () => ({}), 400],
    ['queries that are too long to be forwarded', `/l/link?${mostParameters(queryMaxBytes)}`, () => ({}), 414],
    ['queries that are too long', `/l/link?${'c&'.repeat(15_000)}`, () => ({}), 400],
    ['queries of long names', `/l/link?${'%41'.repeat(1_300)}`, () => ({}), 302],
  ])('200 requests with long %s do not block the event loop', async (_, path, headersOf, status) => {
    await expectNoGap(async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => send('GET', path, headersOf(n))))
      expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([status]))
    })
  })
})

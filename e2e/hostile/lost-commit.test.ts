import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { heldBy } from '../../packages/server/test/powerdns-site.js'
import { freshPostgres } from '../../test/servers/index.js'
import { startCommitProxy, type CommitProxy } from '../../packages/server/test/commit-proxy.js'
import { call, powerDnsServers, type PowerDnsServers } from './powerdns-servers.js'
import type { Serving } from '../../packages/cli/test/svc.js'

/** The connection to PostgreSQL breaks at a COMMIT, after PowerDNS has the change. */

let proxy: CommitProxy
let on: PowerDnsServers
let server: Serving
let token: string
beforeAll(async () => {
  proxy = await startCommitProxy(await freshPostgres())
  on = await powerDnsServers('postgres', proxy.url)
  token = await on.token('ada@example.com')
  server = await on.serve()
})
afterAll(async () => {
  await on[Symbol.asyncDispose]()
  await proxy.stop()
})

let zones = 0
let zone: string
let id: number
beforeEach(async () => {
  zone = `lost${++zones}.example`
  expect((await call(server, token, 'POST', '', { zone })).status).toBe(200)
  id = (await record('POST', '', { type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })).body['data'].id
})

const record = (method: string, path: string, body?: unknown) =>
  call(server, token, method, `/${zone}/records${path}`, body)

/** Checks that the API and PowerDNS have the same records. @returns them as `host type ttl value`, without the apex */
async function agreedRecords(): Promise<string[]> {
  const { body } = await record('GET', '')
  const rows = body['data'].records as { name: string; type: string; ttl: number; value: string }[]
  const listed = rows.map(({ name, type, ttl, value }) => `${name}. ${type} ${ttl} ${value}`).sort()
  const held = (await heldBy(on.powerdns, zone)) ?? []
  expect(held.filter((line) => !line.startsWith(`${zone}. `))).toEqual(listed)
  return listed.map((line) => line.replace(`.${zone}. `, ' '))
}

const old = 'www A 300 192.0.2.1'
const changes = [
  [
    'a creation',
    () => record('POST', '', { type: 'A', host: 'new', value: '192.0.2.9', ttl: 300 }),
    'new A 300 192.0.2.9',
    old,
  ],
  ['a change', () => record('PATCH', `/${id}`, { value: '192.0.2.2', host: 'web' }), 'web A 300 192.0.2.2'],
  [
    'a new ttl for its RRset',
    () => record('POST', '', { type: 'A', host: 'www', value: '192.0.2.1', ttl: 60 }),
    'www A 60 192.0.2.1',
  ],
  ['a deletion', () => record('DELETE', `/${id}`)],
  [
    'a replacement of all values',
    () => call(server, token, 'PUT', `/${zone}/rrsets/www/A`, { values: ['192.0.2.8', '192.0.2.1'], ttl: 300 }),
    old,
    'www A 300 192.0.2.8',
  ],
] as const

describe.each(changes)('%s', (_, change, ...after) => {
  it('200 for a change that was committed although its answer was lost', async () => {
    proxy.arm('answer lost', zone)
    const { status, body } = await change()
    expect(proxy.hasStruck()).toBe(true)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(await agreedRecords()).toEqual([...after].sort())
  })

  it('500 for a change that was not committed, and PowerDNS is restored', async () => {
    proxy.arm('commit lost', zone)
    const { status } = await change()
    expect(proxy.hasStruck()).toBe(true)
    expect(status).toBe(500)
    expect(await agreedRecords()).toEqual([old])
  })
})

it('leaves PowerDNS unchanged and logs advice while the database is unreachable; sync then repairs the zone', async () => {
  proxy.arm('gone', zone)
  const { status } = await record('POST', '', { type: 'A', host: 'new', value: '192.0.2.9', ttl: 300 })
  expect(proxy.hasStruck()).toBe(true)
  expect(status).toBe(500)
  expect(await heldBy(on.powerdns, zone)).toContain(`new.${zone}. A 300 192.0.2.9`)
  const advice = () => server.log.filter(({ msg }) => String(msg).includes('run svc dns sync'))
  await expect.poll(advice).toMatchObject([{ zone }])
  proxy.heal()
  expect((await on.run('dns', 'sync', '--zone', zone)).code).toBe(0)
  expect(await agreedRecords()).toEqual(['new A 300 192.0.2.9', old])
})

describe('a claim', () => {
  it('is verified if it was committed and only the answer was lost', async () => {
    const fresh = `fresh-${zone}`
    proxy.arm('answer lost', fresh)
    const { status, body } = await call(server, token, 'POST', '', { zone: fresh })
    expect(proxy.hasStruck()).toBe(true)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body['data']).toMatchObject({ zone: fresh, status: 'verified' })
    expect(await heldBy(on.powerdns, fresh)).toHaveLength(3)
  })

  it('500 for a claim that was not committed, and the next attempt verifies it', async () => {
    const fresh = `fresh-${zone}`
    proxy.arm('commit lost', fresh)
    expect((await call(server, token, 'POST', '', { zone: fresh })).status).toBe(500)
    expect(proxy.hasStruck()).toBe(true)
    expect((await call(server, token, 'GET', `/${fresh}`)).status).toBe(403)
    const { body } = await call(server, token, 'POST', '', { zone: fresh })
    expect(body['data']).toMatchObject({ zone: fresh, status: 'verified' })
  })
})

describe('svc dns import', () => {
  const file = async () => {
    const path = join(on.place.cwd, `${zone}.zone`)
    await writeFile(path, `one.${zone}. 300 IN A 192.0.2.7\ntwo.${zone}. 300 IN A 192.0.2.8\n`)
    return path
  }

  it('succeeds if it was committed and only the answer was lost', async () => {
    const path = await file()
    proxy.arm('answer lost', '192.0.2.7')
    const { code, stderr } = await on.run('dns', 'import', zone, path)
    expect(proxy.hasStruck()).toBe(true)
    expect(code, stderr).toBe(0)
    expect(await agreedRecords()).toEqual(['one A 300 192.0.2.7', 'two A 300 192.0.2.8', old])
  })

  it('changes nothing if it was not committed', async () => {
    const path = await file()
    proxy.arm('commit lost', '192.0.2.7')
    const { code } = await on.run('dns', 'import', zone, path)
    expect(proxy.hasStruck()).toBe(true)
    expect(code).not.toBe(0)
    expect(await agreedRecords()).toEqual([old])
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Serving } from '../../packages/cli/test/svc.js'
import { isLong, random } from './random.js'
import { call, powerDnsServers, type PowerDnsServers } from './powerdns-servers.js'

/** `svc dns sync` and `svc dns import` run in separate processes while servers change the same zone. */

const zone = 'busy.example'
const creates = isLong ? 300 : 15
const clients = 3
/** The clients go on until so many commands have run beside them. */
const commandsMin = 3

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  let on: PowerDnsServers
  let token: string
  let first: Serving
  let second: Serving
  beforeAll(async () => {
    on = await powerDnsServers(kind)
    token = await on.token('ada@example.com')
    const serve = () => on.serve({ SVC_DNS_RECORDS_MAX: '5000' })
    ;[first, second] = await Promise.all([serve(), serve()])
  })
  afterAll(() => on[Symbol.asyncDispose]())

  it('sync waits for a change that is in PowerDNS but not yet in the database', async () => {
    expect((await call(first, token, 'POST', '', { zone: 'slow.example' })).status).toBe(200)
    on.gateway.behaviour = { delayMs: 4_000 }
    const record = { type: 'A', host: 'www', value: '192.0.2.1' }
    const change = call(first, token, 'POST', '/slow.example/records', record)
    const published = 'www.slow.example. A 3600 192.0.2.1'
    await expect.poll(() => on.held('slow.example')).toContain(published)
    on.gateway.behaviour = 'pass'
    const { code, stdout } = await on.run('dns', 'sync')
    expect(code).toBe(0)
    expect(stdout).toBe('')
    expect((await change).status).toBe(200)
    expect(await on.held('slow.example')).toContain(published)
  })

  it('PowerDNS loses no acknowledged record', { timeout: 300_000 }, async () => {
    const servers = [first, second]
    expect((await call(first, token, 'POST', '', { zone })).status).toBe(200)

    // The delay widens the race between reading PowerDNS and changing it.
    on.gateway.behaviour = { delayMs: 25 }
    const { pick } = random('sync-beside-server')
    const acknowledged = new Set<string>()
    let [busy, commands] = [clients, 0]
    const write = async (client: number) => {
      for (let n = 0; n < creates || commands < commandsMin; n++) {
        const host = `c${client}-${n}`
        const body = { type: 'A', host, value: '192.0.2.1', ttl: 300 }
        const { status } = await call(pick(servers), token, 'POST', `/${zone}/records`, body)
        // A change fails if it waits too long for the commands.
        if (status === 200) acknowledged.add(host)
      }
      busy--
    }
    const imported = new Set<string>()
    const runCommands = async () => {
      while (busy > 0) {
        const isImport = commands++ % 3 !== 2
        const host = `imported-${commands}`
        const file = join(on.place.cwd, `${host}.zone`)
        if (isImport) await writeFile(file, `${host}.${zone}. 300 IN A 192.0.2.1\n`)
        const args = isImport ? ['import', zone, file] : ['sync', '--zone', zone]
        const { code, stderr } = await on.run('dns', ...args)
        expect(code, stderr).toBe(0)
        if (isImport) imported.add(host)
      }
    }
    await Promise.all([...Array.from({ length: clients }, (_, n) => write(n)), runCommands()])
    expect(commands).toBeGreaterThanOrEqual(commandsMin)
    expect(acknowledged.size).toBeGreaterThan((creates * clients) / 2)

    const held = new Set((await on.held(zone)) ?? [])
    const missing = [...acknowledged, ...imported].filter((host) => !held.has(`${host}.${zone}. A 300 192.0.2.1`))
    expect(missing).toEqual([])
    const { records } = (await call(first, token, 'GET', `/${zone}/records`)).body['data']
    expect([...held].filter((line) => line.includes(' A 300 '))).toHaveLength(records.length)
  })
})

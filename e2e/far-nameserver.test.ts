import { execFileSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordTypes } from '@svc/contract'
import { emptyPlace, start, svc, svcServe, type Place } from '../packages/cli/test/svc.js'
import { embeddedDns } from '../packages/server/src/ports/dns/embedded/embedded-dns.js'
import type { Key } from '../packages/server/src/ports/dns/protocol/messages.js'
import { ask, type AskOptions } from '../packages/server/test/dns-ask.js'
import { zones as hardZones } from '../packages/server/test/nameserver-zones.js'
import type { Zone } from '../packages/server/src/ports/dns/port.js'
import { ensure, freePort } from '../test/servers/index.js'
import { accountToken } from './account-token.js'
import { nameserverClient } from './nameservers/client.js'
import { differenceOf } from './nameservers/differences.js'
import { plainZone } from './nameservers/plain-zone.js'
import { catalog, farKey, startBindPrimary, startKnotPrimary, type PrimaryServer } from './nameservers/primaries.js'

/** `svc nameserver` behind svc, BIND and Knot as primaries. */

/** A far nameserver does not know who holds a zone. */
const zones: readonly Zone[] = [...hardZones, plainZone].map(({ zone, serial, rrsets }) => ({ zone, serial, rrsets }))
const nameservers = ['ns1.example.test', 'ns2.unknown.test']

let place: Place & AsyncDisposable
let port: number
let status: number
let primary: PrimaryServer | undefined
let far: ChildProcess | undefined

beforeEach(async () => {
  place = await emptyPlace()
  port = await freePort()
  status = await freePort()
})
afterEach(async () => {
  await kill('SIGTERM')
  await primary?.stop()
  await place[Symbol.asyncDispose]()
})

async function kill(signal: NodeJS.Signals): Promise<void> {
  if (far === undefined) return
  const ended = once(far, 'exit')
  far.kill(signal)
  await ended
  far = undefined
}

/** Starts the far nameserver, and waits until it serves. */
async function startFar(primaryPort: number, { name, algorithm, secret }: typeof farKey = farKey): Promise<void> {
  const env = {
    SVC_DNS_PRIMARY_KEY: `${name}:${algorithm}:${secret}`,
    SVC_DNS_PORT: String(port),
    SVC_PORT: String(status),
  }
  far = start(['nameserver', '--primary', `127.0.0.1:${primaryPort}`], { ...place, env })
  await expect.poll(async () => (await health().catch(() => undefined))?.zones.total, { interval: 20 }).toBeDefined()
}

interface State {
  readonly ok: boolean
  readonly zones: { readonly total: number; readonly pending: number; readonly behind: number }
}

const health = async (): Promise<State> => (await (await fetch(`http://127.0.0.1:${status}/healthz`)).json()) as State

const untilComplete = () =>
  expect.poll(health).toMatchObject({ ok: true, zones: { total: zones.length, pending: 0, behind: 0 } })

/** Asks both nameservers every question. */
async function compare(
  primaryPort: number,
  oracle: string,
): Promise<{ asked: number; unexplained: readonly string[] }> {
  const [ours, theirs] = await Promise.all([nameserverClient(port), nameserverClient(primaryPort)])
  const byLength = [...zones].sort((a, b) => b.zone.length - a.zone.length)
  const unexplained: string[] = []
  let asked = 0
  for (const name of names())
    for (const type of [...recordTypes, 'SOA', 'DS', 'ANY', 'UNKNOWN_65280'])
      for (const transport of transports) {
        const [our, their] = await Promise.all([ours, theirs].map((client) => client.ask(name, type, transport)))
        asked++
        const given = { oracle, name, type, zones: byLength, ours: our!, theirs: their! }
        if (differenceOf(given) === 'unexplained')
          unexplained.push(`${name} ${type} ${JSON.stringify(our)} ${JSON.stringify(their)}`)
      }
  ours.close()
  theirs.close()
  return { asked, unexplained }
}

const transports: readonly AskOptions[] = [{}, { edns: 1232 }, { tcp: true }]

function names(): ReadonlySet<string> {
  const existing = zones.flatMap(({ zone, rrsets }) => [zone, ...rrsets.map(({ name }) => name)])
  const others = ['missing.example.test', 'x.y.z.wild.example.test', 'unknown.test', '.']
  const some = existing.filter((name) => !/^ns[1-9]\d*\.crowd\./.test(name))
  return new Set([...some.flatMap((name) => [name, `x.${name}`]), ...others])
}

/** The nameserver of svc, with the far one as its secondary. */
async function startSvcPrimary(served = zones): Promise<PrimaryServer> {
  const log = pino({ level: 'silent' })
  const address = { host: '127.0.0.1', port: await freePort() }
  const dns = await embeddedDns({ ...address, nameservers, log, zones: served, rateLimit: 0 })
  const name = farKey.name
  const secret = Buffer.from(farKey.secret, 'base64')
  const key: Key = { name, algorithm: 'hmac-sha256', secret, signer: () => ({ kind: 'operator', name }) }
  let serial = 1
  const handlers = dns.serveSecondaries({
    secondaries: [{ address: '127.0.0.1', port, key: name }],
    keyOf: async () => key,
    catalog: { name: catalog, serialOf: async () => ++serial },
  })
  dns.answerProtocols({ keys: { byName: async (asked) => (asked === name ? key : undefined) }, handlers })
  return { port: dns.addresses[0]?.port ?? 0, stop: () => dns.close() }
}

describe('svc nameserver', () => {
  it.each<[string, () => Promise<PrimaryServer>]>([
    ['svc', () => startSvcPrimary()],
    ['Knot', () => startKnotPrimary({ zones, nameservers, far: port })],
    ['BIND', () => startBindPrimary({ zones, nameservers, far: port })],
  ])('answers thousands of questions as %s does', async (name, startPrimary) => {
    primary = await startPrimary()
    await startFar(primary.port)
    await untilComplete()
    const { asked, unexplained } = await compare(primary.port, name.toLowerCase())
    expect(unexplained).toEqual([])
    expect(asked).toBeGreaterThan(5000)
  })

  it('has each change of the primary within two seconds, also after kill -9 at any time', async () => {
    primary = await startBindPrimary({ zones, nameservers, far: port })
    await startFar(primary.port)
    await untilComplete()
    const update = (lines: string) =>
      execFileSync(ensure('nsupdate'), ['-y', `${farKey.algorithm}:${farKey.name}:${farKey.secret}`], {
        input: `server 127.0.0.1 ${primary!.port}\nzone other.test\n${lines}\nsend\n`,
      })
    const valueOf = async (name: string) => (await ask(port, name, 'TXT')).answers.map(({ value }) => value)
    for (let n = 0; n < 12; n++) {
      update(
        `update delete t.other.test TXT\nupdate add t.other.test 60 TXT "${n}"\nupdate add n${n}.other.test 60 TXT x`,
      )
      // The process ends before, during or after the transfer and the write of its file.
      if (n % 3 === 2) {
        await new Promise((resolve) => setTimeout(resolve, 40 * (n % 4)))
        await kill('SIGKILL')
        await startFar(primary.port)
      }
      await expect.poll(() => valueOf('t.other.test'), { timeout: 2_000, interval: 20 }).toEqual([String(n)])
    }
    for (let n = 0; n < 12; n++) expect(await valueOf(`n${n}.other.test`)).toEqual(['x'])
    const soas = await Promise.all([port, primary.port].map((at) => ask(at, 'other.test', 'SOA')))
    expect(soas[0]!.answers).toEqual(soas[1]!.answers)
  })

  it('starts without the primary within two seconds, and serves what it had', async () => {
    primary = await startBindPrimary({ zones, nameservers, far: port })
    await startFar(primary.port)
    await untilComplete()
    await kill('SIGTERM')
    await primary.stop()
    primary = undefined
    const begin = performance.now()
    await startFar(9)
    expect(performance.now() - begin).toBeLessThan(process.env['SVC_TEST_LONG'] === '1' ? 2_000 : 10_000)
    expect(await health()).toMatchObject({ ok: true, zones: { total: zones.length, pending: 0 } })
    expect((await ask(port, 'www.other.test', 'A')).answers[0]?.value).toBe('192.0.2.100')
  })

  it('answers while 1,000 zones arrive, with little CPU time between two answers', async () => {
    const { zone, rrsets } = plainZone
    const many = Array.from({ length: 1000 }, (_, n) => {
      const own = `z${String(n)}.test`
      const moved = rrsets.map((set) => ({ ...set, name: set.name === zone ? own : set.name.replace(zone, own) }))
      return { zone: own, serial: 1, rrsets: moved }
    })
    primary = await startSvcPrimary(many)
    await startFar(primary.port)
    const pid = String(far?.pid)
    const cpuMs = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    const haveArrived = async () => {
      const { total, pending } = (await health()).zones
      return total === many.length && pending === 0
    }
    const client = await nameserverClient(port)
    let [most, before, asked] = [0, cpuMs(), 0]
    do {
      // An answer comes after at most two turns.
      await client.ask(`www.z${String(asked++ % many.length)}.test`, 'A', {})
      const now = cpuMs()
      most = Math.max(most, now - before)
      before = now
    } while (asked % 20 > 0 || !(await haveArrived()))
    client.close()
    expect(most).toBeLessThan(process.env['SVC_TEST_LONG'] === '1' ? 40 : 120)
    expect(await health()).toMatchObject({ zones: { total: 1000, pending: 0 } })
  })

  it('is the second nameserver of svc serve with the documented commands', async () => {
    await using first = await emptyPlace()
    const dnsPort = await freePort()
    const env = {
      SVC_DNS_PORT: String(dnsPort),
      SVC_NAMESERVERS: 'ns1.example.com,ns2.example.com',
      SVC_DNS_SECONDARIES: `127.0.0.1:${String(port)}#ns2`,
    }
    const primaryPlace = { ...first, env }
    await (await svcServe(first)).stop()
    const added = await svc(['dns', 'key', 'add', 'ns2', '--json'], first)
    const key = JSON.parse(added.stdout) as typeof farKey
    await using serving = await svcServe(primaryPlace)
    const token = await accountToken(primaryPlace, 'ada@example.com', 'dns:write')
    const create = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = await fetch(`${serving.url}/v1/dns${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(sent.status, await sent.text()).toBe(200)
    }
    await create('/zones', { zone: 'example.org' })
    await startFar(dnsPort, key)
    await expect.poll(health).toMatchObject({ ok: true, zones: { total: 1, pending: 0 } })
    await create('/zones/example.org/records', { type: 'A', host: 'www', value: '192.0.2.7' })
    const addressOf = async (at: number) => (await ask(at, 'www.example.org', 'A')).answers.map(({ value }) => value)
    await expect.poll(() => addressOf(port), { timeout: 2_000, interval: 20 }).toEqual(['192.0.2.7'])
    const soas = await Promise.all([port, dnsPort].map((at) => ask(at, 'example.org', 'SOA')))
    expect(soas[0]?.answers).toEqual(soas[1]?.answers)
  })

  it('names every missing setting', async () => {
    const child = start(['nameserver'], place)
    const errors: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(2)
    expect(Buffer.concat(errors).toString()).toMatch(/--primary or SVC_DNS_PRIMARY is missing.*\n.*SVC_DNS_PRIMARY_KEY/)
  })

  it('names a malformed key once, and takes the algorithm before the name too', async () => {
    const child = start(['nameserver', '--primary', '127.0.0.1', '--key', 'hmac-sha256:ns2:c2hvcnQ='], place)
    const errors: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(2)
    expect(Buffer.concat(errors).toString()).toMatch(/^svc: --key must be ALGORITHM:NAME:SECRET, .*\n$/)
  })
})

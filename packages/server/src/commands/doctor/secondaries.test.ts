import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../../../test/servers/index.js'
import { testVault } from '../../../test/app.js'
import { findingsOf } from '../../../test/findings.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { readConfig } from '../../config/config.js'
import { claimStore } from '../../areas/dns/claims/store.js'
import { dnsKeyStore } from '../../areas/dns/keys/store.js'
import { zoneStore } from '../../areas/dns/publishing/zone-store.js'
import type { InspectedDatabase } from '../../db/inspected.js'
import { embeddedDns } from '../../ports/dns/embedded/embedded-dns.js'
import { openVault } from '../../ports/vault/envelope-vault.js'
import { suspendUser } from '../user-suspend.js'
import { openForDoctor } from './database.js'
import { secondariesCheck, type SecondariesCheckOptions } from './secondaries.js'

/** Three zones of svc, and the serials of a secondary, compared with those of svc; undefined for a zone that it does not have. */
const zones = ['one.example', 'two.example', 'three.example'] as const
type Copies = Readonly<Partial<Record<(typeof zones)[number], number>>>

let site: TwoProcesses
let database: InspectedDatabase
beforeAll(async () => {
  site = await twoProcesses('sqlite')
  for (const zone of zones) await claimStore(site.db).assign(site.people[0]!, zone)
  await dnsKeyStore(site.db).add(await openVault(testVault, site.db), 'ns2', 'hmac-sha256')
  const opened = await openForDoctor(site.config)
  if (opened.kind !== 'open') throw new Error(opened.kind)
  database = opened.database
})
afterAll(async () => {
  await database.close()
  await site.stop()
})

type Options = Partial<SecondariesCheckOptions>
const one = (zone: string): Options => ({ zones: { kind: 'one', zone } })

const find = (secondaries: string, more: Record<string, string> = {}, options: Options = {}) =>
  findingsOf(
    secondariesCheck({ zones: { kind: 'first' }, ...options }),
    { SVC_DNS_SECONDARIES: secondaries, ...more },
    database,
  )

/** Runs the check with a secondary that has these serials. @returns the findings, without the port of its address */
async function findWith(copies: Copies, options?: Options): Promise<string[]> {
  const stored = await Promise.all(
    Object.entries(copies).map(async ([name, more]) => ({
      zone: name,
      serial: (await zoneStore(site.db).serial(name))! + more,
      rrsets: [],
    })),
  )
  const log = pino({ level: 'silent' })
  const dns = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers: ['ns1.example.net'], log, zones: stored })
  const { port } = dns.addresses[0]!
  const found = await find(`127.0.0.1:${String(port)}`, {}, options)
  await dns.close()
  return found.map((finding) => finding.replace(`:${String(port)}`, ''))
}

it('is not checked without secondaries, and warns of those that PowerDNS does not know', async () => {
  expect(await find('')).toEqual(['ok SVC_DNS_SECONDARIES names no secondary.'])
  const powerdns = { SVC_DNS: 'powerdns+http://127.0.0.1:8081', SVC_POWERDNS_KEY: 'x' }
  expect(await find('192.0.2.53', powerdns)).toEqual([
    'warning SVC_DNS_SECONDARIES has no effect: PowerDNS tells its secondaries about changes.',
  ])
})

it.each<[string, Copies, string[]]>([
  [
    'all zones with the serials of svc',
    { 'one.example': 0, 'two.example': 0, 'three.example': 0 },
    ['ok The secondary 127.0.0.1 has the serials of svc in 3 zones.'],
  ],
  [
    'a zone that is behind, and one that is missing',
    { 'one.example': -1, 'three.example': 0 },
    [
      'error The secondary 127.0.0.1 is behind svc in 1 of 3 zones.',
      'error The secondary 127.0.0.1 does not serve 1 of 3 zones.',
    ],
  ],
  [
    'zones with higher serials, such as after the restore of a backup of svc',
    { 'one.example': 7, 'two.example': 7, 'three.example': 0 },
    ['error The secondary 127.0.0.1 has a higher serial than svc, so that it takes no changes, in 2 of 3 zones.'],
  ],
])('finds %s', async (_, copies, findings) => {
  expect(await findWith(copies)).toEqual(findings)
})

it('compares one zone only if it is named', async () => {
  expect(await findWith({ 'one.example': -1, 'two.example': 0 }, one('two.example'))).toEqual([
    'ok The secondary 127.0.0.1 has the serials of svc in 1 zone.',
  ])
  expect(await findWith({}, one('unknown.example'))).toEqual(['ok unknown.example is not a zone of svc.'])
})

it('does not ask for a zone that svc does not serve any more', async () => {
  await claimStore(site.db).assign(site.people[1]!, 'stopped.example')
  await suspendUser({ ...readConfig({ env: {} }), database: site.config }, site.people[1]!.email, true)
  expect(await findWith({}, one('stopped.example'))).toEqual(['ok stopped.example is not a zone of svc.'])
})

it('reports the differences for which there is no time to look again', async () => {
  expect(await findWith({ 'one.example': -1, 'two.example': 0 }, { lookAgainMs: 0 })).toEqual([
    'error The secondary 127.0.0.1 is behind svc in 1 of 3 zones.',
    'error The secondary 127.0.0.1 does not serve 1 of 3 zones.',
  ])
})

it('finds a secondary that does not answer, and a key that does not exist', async () => {
  const server = `127.0.0.1:${String(await freePort())}`
  expect(await find(`${server}#ns2, ${server}#ns3`)).toEqual([
    `error SVC_DNS_SECONDARIES names the key ns3 for ${server}, which does not exist: svc does not tell this secondary about changes.`,
    `error The secondary ${server} does not answer over UDP.`,
    `error The secondary ${server} does not answer over UDP.`,
  ])
})

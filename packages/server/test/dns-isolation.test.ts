import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTsig } from '../src/ports/dns/wire/tsig-record.js'
import { TsigSigner, type TsigKey } from '../src/ports/dns/wire/tsig.js'
import { dnsKeyStore } from '../src/areas/dns/keys/store.js'
import { openVault } from '../src/ports/vault/envelope-vault.js'
import { databaseKinds, testVault } from './app.js'
import { exchangeTcp, exchangeUdp, queryPacket } from './dns-ask.js'
import { change, prereq, updatePacket } from './dns-update.js'
import { updateKey } from './dns-updater.js'
import { dyndns } from './dyndns-client.js'
import { startSite, type Browser, type Site } from './site.js'
import { recordsOf, transferFrom, transferRequest } from './transfer-client.js'
import { ownerOn, zoneClient, type Owner } from './zone-owner.js'
import { dnsSettings } from './zone-site.js'

/** Each key × each zone × each message: what a key may not do gets an answer without records, and changes nothing. */

const mine = 'mine.example'
const sister = 'sister.example'
const foreign = 'foreign.example'
/** Of the first account; the other one has claimed it too. */
const contested = 'contested.example'
/** By the first account. */
const released = 'released.example'
/** From the first account to the other one. */
const moved = 'moved.example'
const catalog = 'catalog.invalid'
const former = 'words of the first account'
const served = [mine, sister, foreign, contested, released, moved]
const zoneNames = [...served, 'unclaimed.example', catalog]

/** A key, and the zones that it may use. */
interface Row {
  readonly title: string
  readonly key?: TsigKey | undefined
  /** A token with the same permissions, for dynamic DNS. */
  readonly token?: string | undefined
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Zones of which it may write some hosts. */
  readonly writesInPart?: readonly string[]
  /** Whether its token has no scope for dynamic DNS. */
  readonly isReadOnly?: true
  /** Whether the signature is refused. */
  readonly isUnknown?: true
  readonly isOperator?: true
  /** The address to ask, which is the address of the client too. */
  readonly host?: string
}

/** The exemption for clients on the machine does not include this address. Undefined if the machine has no other. */
const external = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address

const rcodes = { noError: 0, notImp: 4, refused: 5, notAuth: 9 } as const
const seconds = () => Math.floor(Date.now() / 1000)

describe.each(databaseKinds)('keys, zones and messages on %s', (kind) => {
  let site: Site
  let rows: readonly Row[]
  /** Of the zone that has another holder now, while the first one held it. */
  let formerSerial: number
  /** The records that rows were allowed to add, by their zones. */
  const added = new Map<string, string[]>(served.map((name) => [name, []]))

  beforeAll(async () => {
    const hosts = ['127.0.0.1', ...(external === undefined ? [] : [external])]
    site = await startSite(kind, { dns: { ...dnsSettings(['127.0.0.1:9']), host: hosts } })
    const [alice, bob] = [await ownerOn(site), await ownerOn(site)]
    for (const name of [mine, sister, contested, released]) await fill(alice, name)
    // The first transfer begins to keep differences, which must not have the records of a former holder.
    await transferFrom(site.dnsPort, mine)
    await fill(alice, moved, former)
    formerSerial = await zoneClient(site, alice.call, moved).serial()
    await fill(bob, foreign)
    expect((await bob.call('POST', '/v1/dns/zones', { zone: contested })).body['data'].status).toBe('pending')
    for (const name of [released, moved]) expect((await alice.call('DELETE', `/v1/dns/zones/${name}`)).status).toBe(200)
    await fill(bob, moved)
    rows = [...(await rowsOf(alice, bob)), ...(await operatorRows())]
  })
  afterAll(() => site.stop())

  async function fill(owner: Owner, name: string, value = `secret of ${name}`): Promise<void> {
    await (await owner.claim(name)).add({ type: 'TXT', host: 'www', value, ttl: 300 })
  }

  async function rowsOf(alice: Owner, bob: Owner): Promise<Row[]> {
    const browsers = { alice: await site.browser(alice.account.email), bob: await site.browser(bob.account.email) }
    const rule = { kind: 'zone', name: mine, access: 'write' }
    const own = [mine, sister, contested]
    const make = async (title: string, more: object, rights: Omit<Row, 'title'>, browser = browsers.alice) => ({
      title,
      ...(await bothKeys(browser, title, more)),
      ...rights,
    })
    const refused = { reads: [], writes: [], isUnknown: true } as const
    const made = await Promise.all([
      make('dns:write', {}, { reads: own, writes: own }),
      make('every scope', { scopes: ['*'] }, { reads: own, writes: own }),
      make('dns:read', { scopes: ['dns:read'] }, { reads: own, writes: [], isReadOnly: true }),
      make('another scope', { scopes: ['sites:write'] }, { reads: [], writes: [], isReadOnly: true }),
      make('a rule for a zone', { rules: [rule] }, { reads: [mine], writes: [mine] }),
      make('a rule to read a zone', { rules: [{ ...rule, access: 'read' }] }, { reads: [mine], writes: [] }),
      make(
        'a rule for a host',
        { rules: [{ ...rule, hosts: ['only'] }] },
        { reads: [], writes: [], writesInPart: [mine] },
      ),
      make('a rule for a zone of another account', { rules: [{ ...rule, name: foreign }] }, { reads: [], writes: [] }),
      make('another network', { networks: ['198.51.100.0/24'] }, refused),
      make('revoked', {}, refused),
      make('paused', {}, refused),
      make('expired', {}, refused),
      make('the other account', {}, { reads: [foreign, moved], writes: [foreign, moved] }, browsers.bob),
    ])
    for (const { title, ids } of made)
      for (const id of ids) {
        if (title === 'revoked') await browsers.alice.call('POST', '/keys/revoke', { body: { id } })
        if (title === 'paused') await browsers.alice.call('POST', '/keys/update', { body: { id, paused: true } })
        if (title === 'expired') await site.sql(`update token set expires_at = 1 where id = ${String(id)}`)
      }
    return made
  }

  async function bothKeys(browser: Browser, title: string, more: object) {
    const key = await updateKey(browser, { name: `key: ${title}`, ...more })
    const body = { name: `token: ${title}`, scopes: ['dns:write'], ...more }
    const { status, body: answer, text } = await browser.call('POST', '/keys', { body })
    expect(status, text).toBe(200)
    const { id, token } = answer['data'] as { id: number; token: string }
    return { key, token, ids: [key.tokenId, id] }
  }

  async function operatorRows(): Promise<Row[]> {
    const { database } = site.app
    const vault = await openVault(testVault, database)
    const add = async (name: string): Promise<TsigKey> => {
      const secret = Buffer.from(await dnsKeyStore(database).add(vault, name, 'hmac-sha256'), 'base64')
      return { name, algorithm: 'hmac-sha256', secret }
    }
    const [key, gone] = [await add('ns2'), await add('ns3')]
    await dnsKeyStore(database).remove('ns3')
    const all = { reads: [...served, catalog], writes: [], isOperator: true } as const
    return [
      { title: 'a key of the operator', key, ...all },
      { title: 'a removed key of the operator', key: gone, reads: [], writes: [], isUnknown: true },
      { title: 'unsigned, on the machine of the server', ...all },
      ...(external === undefined ? [] : [{ title: 'unsigned', reads: [], writes: [], host: external }]),
    ]
  }

  /** Sends a message over UDP or TCP, signed with the key of a row. */
  async function send({ key, host = '127.0.0.1' }: Row, packet: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer> {
    const message = key === undefined ? packet : new TsigSigner(key).sign(packet, seconds())
    return transport === 'udp'
      ? exchangeUdp(message, site.dnsPort, host, 10_000)
      : exchangeTcp(message, site.dnsPort, host)
  }

  /** Checks an answer that must have an RCODE and nothing else. */
  function expectEmpty(answer: Buffer, code: number, about: string): void {
    expect([about, answer.readUInt8(3) & 15]).toEqual([about, code])
    expect([about, answer.readUInt16BE(6), answer.readUInt16BE(8)]).toEqual([about, 0, 0])
    expect(answer.toString('latin1')).not.toContain('secret of')
  }

  /** Checks that an answer about a zone has no text of another zone, nor of the account that had it before. */
  function expectNothingOf(zone: string, answer: Buffer): void {
    const text = answer.toString('latin1')
    expect(text).not.toContain(former)
    for (const other of served) if (other !== zone) expect(text).not.toContain(`secret of ${other}`)
  }

  async function checkTransfers(row: Row, zone: string): Promise<void> {
    for (const [serial, transport] of [
      [undefined, 'tcp'],
      [formerSerial, 'tcp'],
      [1, 'tcp'],
      [undefined, 'udp'],
      [formerSerial, 'udp'],
    ] as const) {
      const answer = await send(row, transferRequest(zone, serial).packet, transport)
      const about = `${row.title}: ${serial === undefined ? 'AXFR' : 'IXFR'} of ${zone} over ${transport}`
      if (row.isUnknown === true) expectEmpty(answer, rcodes.notAuth, about)
      else if (!row.reads.includes(zone))
        expectEmpty(answer, row.isOperator === true ? rcodes.notAuth : rcodes.refused, about)
      else if (transport === 'udp' && serial === undefined) expectEmpty(answer, rcodes.refused, about)
      else {
        expect([about, answer.readUInt8(3) & 15]).toEqual([about, rcodes.noError])
        const names = recordsOf([answer]).map(({ name }) => name)
        expect(names.every((name) => name === zone || name.endsWith(`.${zone}`))).toBe(true)
        // A serial of another zone may be newer than the one that is served: then the SOA alone is the answer.
        const least = transport === 'udp' || serial === formerSerial ? 1 : 3
        expect([about, names.length >= least]).toEqual([about, true])
        expectNothingOf(zone, answer)
      }
    }
  }

  async function checkUpdates(row: Row, at: number, zone: string): Promise<void> {
    const refused = () => {
      if (row.isUnknown === true) return rcodes.notAuth
      if (row.isOperator === true || row.key === undefined) return rcodes.refused
      return row.writesInPart?.includes(zone) === true ? rcodes.refused : rcodes.notAuth
    }
    const mayWrite = row.writes.includes(zone)
    for (const transport of ['udp', 'tcp'] as const) {
      const host = `r${String(at)}${transport}`
      for (const [what, parts] of [
        ['add', { updates: [change.add(host, 300, 'TXT', 'added')] }],
        ['ask', { prerequisites: [prereq.yxdomain('www')], updates: [] }],
      ] as const) {
        const answer = await send(row, updatePacket({ zone, ...parts }), transport)
        expectEmpty(
          answer,
          mayWrite ? rcodes.noError : refused(),
          `${row.title}: ${what} by UPDATE in ${zone} over ${transport}`,
        )
      }
      if (mayWrite) added.get(zone)!.push(`${host}.${zone}`)
      if (!mayWrite)
        expectEmpty(
          await send(row, updatePacket({ zone, updates: [change.removeName('www')] }), transport),
          refused(),
          `${row.title}: delete by UPDATE in ${zone}`,
        )
    }
  }

  async function checkNotify(row: Row, zone: string): Promise<void> {
    for (const transport of ['udp', 'tcp'] as const) {
      const packet = queryPacket(zone, 'SOA')
      packet.writeUInt16BE(0x2400, 2)
      const code = row.isUnknown === true ? rcodes.notAuth : rcodes.notImp
      expectEmpty(await send(row, packet, transport), code, `${row.title}: NOTIFY of ${zone} over ${transport}`)
    }
  }

  /** Public zones are answered to everyone with a right signature or none, the catalog only to the operator. */
  async function checkQueries(row: Row, zone: string): Promise<void> {
    for (const [name, type] of [
      [zone, 'SOA'],
      [`www.${zone}`, 'TXT'],
      [`version.${zone}`, 'ANY'],
    ] as const)
      for (const transport of ['udp', 'tcp'] as const) {
        const answer = await send(row, queryPacket(name, type), transport)
        const about = `${row.title}: ${name} ${type} over ${transport}`
        const isPublic = served.includes(zone)
        if (row.isUnknown === true) expectEmpty(answer, rcodes.notAuth, about)
        else if (!isPublic && !row.reads.includes(zone)) expectEmpty(answer, rcodes.refused, about)
        else expect([about, answer.readUInt8(3) & 15]).not.toEqual([about, rcodes.refused])
        expectNothingOf(zone, answer)
      }
  }

  async function checkDynamic(
    { title, token, writes, isUnknown, isReadOnly }: Row,
    at: number,
    zone: string,
  ): Promise<void> {
    if (token === undefined) return
    const host = `d${String(at)}`
    const { text } = await dyndns(site, token, `hostname=${host}.${zone}&myip=192.0.2.1`)
    const mayWrite = writes.includes(zone)
    const expected = isUnknown === true || isReadOnly === true ? 'badauth' : mayWrite ? 'good 192.0.2.1' : 'nohost'
    expect([title, zone, text.trim()]).toEqual([title, zone, expected])
    if (mayWrite) added.get(zone)!.push(`${host}.${zone}`)
  }

  it('no key gets records or makes changes that it may not', async () => {
    expect(rows.length).toBeGreaterThanOrEqual(16)
    for (const [at, row] of rows.entries())
      for (const zone of zoneNames) {
        await checkQueries(row, zone)
        await checkTransfers(row, zone)
        await checkUpdates(row, at, zone)
        await checkNotify(row, zone)
        await checkDynamic(row, at, zone)
      }
    for (const zone of served) {
      const names = recordsOf(await transferFrom(site.dnsPort, zone)).map(({ name }) => name)
      const changed = names.filter((name) => name !== zone && name !== `www.${zone}`)
      expect([zone, changed.toSorted()]).toEqual([zone, added.get(zone)!.toSorted()])
      expect(names).toContain(`www.${zone}`)
    }
  })

  it('an answer with BADKEY tells about each key that does not work alike', async () => {
    const unknown = rows.filter(({ isUnknown }) => isUnknown)
    const errors = await Promise.all(
      unknown.map(async (row) => findTsig(await send(row, transferRequest(mine).packet, 'udp'))?.error),
    )
    expect(errors).toEqual(unknown.map(() => 17))
  })
})

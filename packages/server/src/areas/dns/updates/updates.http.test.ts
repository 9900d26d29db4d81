import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Envelope, type TestApp } from '../../../../test/app.js'
import { exchangeUdp, read } from '../../../../test/dns-ask.js'
import { change, prereq, updatePacket, type UpdateParts } from '../../../../test/dns-update.js'
import { changeCases, prerequisiteCases } from '../../../../test/update-cases.js'
import { TsigSigner } from '../../../ports/dns/wire/tsig.js'
import { sendSigned, sendUpdate, signedUpdate, updateKey, type UpdateKey } from '../../../../test/dns-updater.js'
import type { Browser } from '../../../../test/site.js'
import { zoneClient, type ZoneClient } from '../../../../test/zone-owner.js'
import { dnsSettings, startZoneSite, type Person, type ZoneSite } from '../../../../test/zone-site.js'

/** Updates of RFC 2136 over the network, signed with the keys of accounts. */

const { add, remove, removeName, removeRRset } = change
const { equal, nxdomain, nxrrset, yxdomain, yxrrset } = prereq

describe.each(databaseKinds)('updates on %s', (kind) => {
  let zones: ZoneSite
  let ada: Browser
  let bob: Browser
  beforeAll(async () => {
    zones = await startZoneSite(kind, { dns: { ...dnsSettings([]), recordsMax: 30 } })
    ada = await zones.site.browser('ada@example.com')
    bob = await zones.site.browser('bob@example.com')
  })
  afterAll(() => zones.stop())

  const port = () => zones.site.dnsPort
  const clientOf = (person: Person, zone: string, app: Pick<TestApp, 'dnsPort'> = zones.site): ZoneClient =>
    zoneClient(app, (method, path, body) => zones.site.call(method, path, { token: zones.tokens[person], body }), zone)
  let count = 0
  async function claim(person: Person = 'ada'): Promise<ZoneClient> {
    const zone = `updates${++count}-${kind}.example`
    expect((await zones.claim(person, zone)).status).toBe(200)
    return clientOf(person, zone)
  }
  const listed = async (zone: ZoneClient): Promise<string[]> =>
    ((await zone.list()).body['data'].records as Envelope[])
      .map(({ host, type, value, ttl }) => `${host} ${type} ${value} ${ttl}`)
      .sort()

  let key: UpdateKey
  let zone: ZoneClient
  beforeEach(async () => {
    key = await updateKey(ada)
    zone = await claim()
  })
  const send = (parts: Omit<UpdateParts, 'zone'>, transport?: 'udp' | 'tcp') =>
    sendUpdate(key, { zone: zone.zone, ...parts }, port(), transport)

  it.each(['udp', 'tcp'] as const)('over %s: saved, served and one step of the serial', async (transport) => {
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    const serial = await zone.serial()
    const updates = [
      removeRRset('www', 'A'),
      add('www', 60, 'A', '192.0.2.7'),
      add('www', 300, 'AAAA', '2001:DB8::7'),
      add('@', 300, 'MX', { preference: 10, exchange: 'Mail.example.net' }),
      add('_sip._tcp', 300, 'SRV', { priority: 1, weight: 2, port: 5060, target: 'sip.example.net' }),
      add('@', 300, 'CAA', { flags: 0, tag: 'ISSUE', value: 'letsencrypt.org' }),
      add('text', 300, 'TXT', ['one "two" ', 'three']),
      add('*', 300, 'CNAME', 'www.example.net'),
      add('sub', 300, 'NS', 'ns1.example.net'),
    ]
    expect(await send({ updates }, transport)).toBe('NOERROR')
    expect(await zone.served('www', 'A')).toEqual(['60 192.0.2.7'])
    expect(await listed(zone)).toEqual(
      [
        ...['www A 192.0.2.7 60', 'www AAAA 2001:db8::7 300', '@ MX mail.example.net 300'],
        ...['_sip._tcp SRV 2 5060 sip.example.net 300', '@ CAA 0 issue "letsencrypt.org" 300'],
        ...['text TXT one "two" three 300', '* CNAME www.example.net 300', 'sub NS ns1.example.net 300'],
      ].sort(),
    )
    expect(await zone.serial()).toBe(serial + 1)
    const { changes } = (
      await zones.site.call('GET', `/v1/dns/zones/${zone.zone}/history`, { token: zones.tokens.ada })
    ).body['data'] as { changes: Envelope[] }
    expect(changes[0]).toMatchObject({
      serial: serial + 1,
      actor: { kind: 'token', name: expect.stringMatching(/^updates /) },
    })
    const events = (await ada.call('GET', '/account/events')).body['data'].events as Envelope[]
    expect(events[0]).toMatchObject({ object: zone.zone, actor: { kind: 'token' }, network: '127.0.0.0/24' })
    expect(await send({ updates: updates.slice(1) }, transport)).toBe('NOERROR')
    expect(await zone.serial()).toBe(serial + 1)
  })

  it('prerequisites that do not hold, and refused changes, leave the zone and its serial', async () => {
    await zone.add({ type: 'CNAME', host: 'alias', value: 'www.example.net', ttl: 300 })
    const [before, serial] = [await listed(zone), await zone.serial()]
    const added = add('new', 300, 'A', '192.0.2.9')
    expect(await send({ prerequisites: [nxdomain('alias')], updates: [added] })).toBe('YXDOMAIN')
    expect(await send({ prerequisites: [yxdomain('new')], updates: [added] })).toBe('NXDOMAIN')
    expect(await send({ prerequisites: [nxrrset('alias', 'CNAME')], updates: [added] })).toBe('YXRRSET')
    expect(await send({ prerequisites: [equal('alias', 'CNAME', 'x.example')], updates: [added] })).toBe('NXRRSET')
    expect(await send({ updates: [added, add('alias', 300, 'A', '192.0.2.1')] })).toBe('REFUSED')
    expect(await send({ updates: [added, add('www.example.net.', 300, 'A', '192.0.2.1')] })).toBe('NOTZONE')
    expect(
      await send({ updates: Array.from({ length: 31 }, (_, i) => add(`h${i}`, 300, 'A', '192.0.2.1')) }, 'tcp'),
    ).toBe('REFUSED')
    expect(await send({ zoneType: 'A', updates: [added] })).toBe('FORMERR')
    expect(await send({ zoneClass: 'CH', updates: [added] })).toBe('NOTAUTH')
    expect([await listed(zone), await zone.serial()]).toEqual([before, serial])
    expect(zones.site.log.filter((line) => line.includes('a DNS update was refused')).at(-1)).toContain('30 records')
    const rest = { prerequisites: [yxrrset('alias', 'CNAME'), nxdomain('new')], updates: [added] }
    expect(await send(rest)).toBe('NOERROR')
  })

  it('a prerequisite on the serial admits the first of two updates only', async () => {
    const soa = async () => ({
      ...{ mname: 'ns1.svc.example', rname: `hostmaster.${zone.zone}`, serial: await zone.serial() },
      ...{ refresh: 7200, retry: 900, expire: 1_209_600, minimum: 300 },
    })
    const prerequisites = [equal('@', 'SOA', await soa())]
    expect(await send({ prerequisites, updates: [add('a', 300, 'A', '192.0.2.1')] })).toBe('NOERROR')
    expect(await send({ prerequisites, updates: [add('b', 300, 'A', '192.0.2.1')] })).toBe('NXRRSET')
    expect(await send({ prerequisites: [equal('@', 'SOA', await soa())], updates: [removeName('a')] })).toBe('NOERROR')
    expect(await listed(zone)).toEqual([])
  })

  it('unsigned updates and the keys of the operator are refused', async () => {
    const packet = updatePacket({ zone: zone.zone, updates: [add('a', 300, 'A', '192.0.2.1')] })
    const answer = read(await exchangeUdp(packet, port()))
    expect([answer.rcode, answer.bytes <= packet.length]).toEqual(['REFUSED', true])
    expect(await listed(zone)).toEqual([])
  })

  it('each key changes the zones of its account only, within its scopes and rules; all others are NOTAUTH alike', async () => {
    const other = await claim('bob')
    const pending = await claim('ada')
    expect((await zones.claim('bob', pending.zone)).body['data'].status).toBe('pending')
    const rule = { kind: 'zone', name: zone.zone, access: 'write' }
    const all = [zone.zone, pending.zone, other.zone, 'unknown.example', `sub.${zone.zone}`, 'example', '.']
    const allowed = new Map([
      [key, [zone.zone, pending.zone]],
      [await updateKey(ada, { rules: [rule] }), [zone.zone]],
      [await updateKey(ada, { rules: [{ ...rule, access: 'read' }] }), []],
      [await updateKey(ada, { scopes: ['dns:read', 'sites:write'] }), []],
      [await updateKey(ada, { scopes: ['*'] }), [zone.zone, pending.zone]],
      [await updateKey(bob), [other.zone]],
      [await updateKey(bob, { rules: [rule] }), []],
    ])
    for (const [one, own] of allowed)
      for (const name of all)
        for (const prerequisites of [[], [yxdomain(`www.${zone.zone}.`)], [nxdomain('@')]])
          for (const updates of [
            [],
            [add('www', 300, 'A', '192.0.2.1')],
            [removeName('@')],
            [add('@', 1, 'NS', 'x.example')],
          ]) {
            const rcode = await sendUpdate(one, { zone: name, prerequisites, updates }, port())
            expect(rcode === 'NOTAUTH', `${one.tokenId} ${name} ${rcode}`).toBe(!own.includes(name))
          }
  })

  it('rules for hosts and types limit what a key changes, deletes and asks, whether or not it exists', async () => {
    await zone.add({ type: 'TXT', host: 'www', value: 'secret', ttl: 300 })
    const hosts = ['_acme-challenge', '_acme-challenge.**']
    key = await updateKey(ada, { rules: [{ kind: 'zone', name: zone.zone, hosts, types: ['TXT'], access: 'write' }] })
    expect(
      await send({ updates: [add('_acme-challenge', 60, 'TXT', 'v'), add('_acme-challenge.www', 60, 'TXT', 'v')] }),
    ).toBe('NOERROR')
    expect(await send({ updates: [removeRRset('_acme-challenge.www', 'TXT')] })).toBe('NOERROR')
    expect(await send({ prerequisites: [yxrrset('_acme-challenge', 'TXT')], updates: [] })).toBe('NOERROR')
    for (const host of ['www', 'nowhere', '@', '_acme-challenge']) {
      const type = host === '_acme-challenge' ? 'A' : 'TXT'
      for (const parts of [
        { updates: [removeName(host)] },
        { updates: [removeRRset(host, type)] },
        { updates: [remove(host, type, type === 'A' ? '192.0.2.1' : 'x')] },
        { updates: [add(host, 60, type, type === 'A' ? '192.0.2.1' : 'x')] },
        { prerequisites: [yxdomain(host)] },
        { prerequisites: [nxdomain(host)] },
        { prerequisites: [yxrrset(host, type)] },
        { prerequisites: [nxrrset(host, type)] },
        { prerequisites: [equal(host, type, type === 'A' ? '192.0.2.1' : 'x')] },
      ])
        expect(await send(parts), `${host} ${JSON.stringify(parts)}`).toBe('REFUSED')
    }
    expect(await listed(zone)).toEqual(['_acme-challenge TXT v 60', 'www TXT secret 300'])
  })

  it('a revoked key is unknown from the next message on', async () => {
    expect(await send({ updates: [add('a', 300, 'A', '192.0.2.1')] })).toBe('NOERROR')
    await ada.call('POST', '/keys/revoke', { body: { id: key.tokenId } })
    await expect(send({ updates: [removeName('a')] })).rejects.toThrow('BADKEY')
    expect(await listed(zone)).toEqual(['a A 192.0.2.1 300'])
  })

  it('a message that a client repeats is applied once, and each copy gets the answer of the first', async () => {
    const serial = await zone.serial()
    const message = signedUpdate(key, {
      zone: zone.zone,
      prerequisites: [nxdomain('once')],
      updates: [add('once', 300, 'A', '192.0.2.1')],
    })
    const together = await Promise.all(Array.from({ length: 5 }, () => sendSigned(key, message, port())))
    expect(new Set(together)).toEqual(new Set(['NOERROR']))
    expect(await sendSigned(key, message, port(), 'tcp')).toBe('NOERROR')
    expect(await zone.serial()).toBe(serial + 1)
    // A recorded message does not bring back what was deleted since.
    expect(await send({ updates: [removeName('once')] })).toBe('NOERROR')
    expect(await sendSigned(key, message, port())).toBe('NOERROR')
    expect(await listed(zone)).toEqual([])
    expect(await zone.serial()).toBe(serial + 2)
  })

  it('of 20 updates that need a free name, one succeeds, also against creates of the API and another process', async () => {
    const other = await zones.site.another()
    for (let round = 0; round < 4; round++) {
      const host = `race${round}`
      const updates = Array.from({ length: 20 }, (_, i) =>
        sendUpdate(
          key,
          { zone: zone.zone, prerequisites: [nxdomain(host)], updates: [add(host, 300, 'A', `192.0.2.${i}`)] },
          i % 2 === 0 ? port() : other.dnsPort,
        ),
      )
      const creates = Array.from({ length: 5 }, (_, i) =>
        zone.create({ type: 'TXT', host, value: `api ${i}`, ttl: 300 }),
      )
      const rcodes = await Promise.all(updates)
      expect((await Promise.all(creates)).map(({ status }) => status)).toEqual(Array(5).fill(200))
      const won = rcodes.filter((rcode) => rcode === 'NOERROR').length
      expect(won).toBeLessThanOrEqual(1)
      expect(rcodes.filter((rcode) => rcode === 'YXDOMAIN')).toHaveLength(20 - won)
      expect((await listed(zone)).filter((line) => line.startsWith(`${host} A `))).toHaveLength(won)
      // The follower loads a change of the other process.
      await vi.waitFor(async () => expect(await zone.served(host, 'A')).toHaveLength(won), { timeout: 2000 })
    }
    await other.stop()
  })

  it('32 updates and 40 changes of the API at once: each counts once in the serial, and is served', async () => {
    const serial = await zone.serial()
    const keys = await Promise.all(Array.from({ length: 4 }, () => updateKey(ada)))
    const rcodes = Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        sendUpdate(
          keys[i % 4]!,
          { zone: zone.zone, updates: [removeRRset('u', 'A'), add('u', 300, 'A', `192.0.2.${i}`)] },
          port(),
        ),
      ),
    )
    const statuses = Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        zone.batch([{ replace: { type: 'TXT', host: 'api', values: [`v${i}`], ttl: 300 } }]),
      ),
    )
    expect(await rcodes).toEqual(Array(32).fill('NOERROR'))
    for (const { status, text } of await statuses) expect(status, text).toBe(200)
    expect(await zone.serial()).toBe(serial + 72)
    const lines = await listed(zone)
    expect(lines).toHaveLength(2)
    expect(await zone.served('u', 'A')).toEqual(
      lines.filter((line) => line.startsWith('u ')).map((line) => `300 ${line.split(' ')[2]}`),
    )
  })

  it('damaged messages with a right signature are answered, and the server goes on', async () => {
    const messages = [...prerequisiteCases, ...changeCases].map(({ when = [], then = [] }) =>
      updatePacket({ zone: zone.zone, prerequisites: when, updates: then }),
    )
    const rcodes = new Map<string, number>()
    for (let round = 0; round < 4; round++)
      await Promise.all(
        messages.map(async (whole, index) => {
          const packet = Buffer.from(whole)
          // After the header: without it there is no answer.
          for (let i = 0; i < 3; i++)
            packet[12 + ((index * 31 + round * 17 + i * 29) % (packet.length - 12))] =
              (index * 7 + i * 83 + round) % 256
          const signed = new TsigSigner(key).sign(packet, Math.floor(Date.now() / 1000))
          const { rcode } = read(await exchangeUdp(signed, port(), '127.0.0.1', 10_000))
          rcodes.set(rcode, (rcodes.get(rcode) ?? 0) + 1)
        }),
      )
    expect(rcodes.size).toBeGreaterThan(4)
    expect(await send({ updates: [removeName('last'), add('last', 300, 'A', '192.0.2.1')] })).toBe('NOERROR')
    expect(await zone.served('last', 'A')).toEqual(['300 192.0.2.1'])
  })

  it('an account with more updates than may wait is told to try again, and none is applied in part', async () => {
    const rcodes = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        send({
          updates: [removeRRset('busy', 'TXT'), add('busy', 300, 'TXT', `a${i}`), add('busy', 300, 'TXT', `b${i}`)],
        }),
      ),
    )
    expect(new Set(rcodes)).toEqual(new Set(['NOERROR', 'SERVFAIL']))
    const [a, b] = (await listed(zone)).map((line) => line.split(' ')[2])
    expect(b).toBe(a?.replace('a', 'b'))
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/servers/index.js'
import { databaseKinds } from './app.js'
import { ask } from './dns-ask.js'
import { change, prereq, type UpdateParts } from './dns-update.js'
import { sendUpdate, updateKey, type UpdateKey } from './dns-updater.js'
import { startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import type { Owner, ZoneClient } from './zone-owner.js'

/** Updates of RFC 2136 beside PowerDNS: svc listens on a port of its own, and each update is one request to PowerDNS. */

const { add, removeRRset } = change

describe.each(databaseKinds)('updates with PowerDNS and %s', (kind) => {
  let on: PowerDnsSite
  let owner: Owner
  let updatePort = 0
  let key: UpdateKey
  let zone: ZoneClient
  beforeAll(async () => {
    updatePort = await freePort()
    on = await startPowerDnsSite(kind, {}, { updatePort })
    owner = await on.owner()
    key = await updateKey(await on.site.browser(owner.account.email))
    zone = await owner.claim()
  })
  afterAll(() => on.stop())

  const send = (parts: Omit<UpdateParts, 'zone'>) => sendUpdate(key, { zone: zone.zone, ...parts }, updatePort)
  const patches = () => on.gateway.requests.filter((request) => request.startsWith('PATCH ')).length
  const heldA = async (host: string) =>
    (await on.held(zone.zone))?.filter((line) => line.startsWith(`${host}.${zone.zone}. A `)) ?? []

  it('each is one request, and PowerDNS answers with it at once', async () => {
    const updates = [
      add('www', 300, 'A', '192.0.2.1'),
      add('www', 300, 'A', '192.0.2.2'),
      add('alias', 300, 'CNAME', 'www.example.net'),
      add('@', 300, 'MX', { preference: 10, exchange: 'mail.example.net' }),
    ]
    const before = patches()
    expect(await send({ prerequisites: [prereq.nxdomain('www')], updates })).toBe('NOERROR')
    expect(patches()).toBe(before + 1)
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1', '300 192.0.2.2'])
    expect(await zone.served('@', 'MX')).toEqual(['300 10 mail.example.net'])
    expect(await send({ prerequisites: [prereq.nxdomain('www')], updates })).toBe('YXDOMAIN')
    expect(await send({ updates })).toBe('NOERROR')
    expect(patches()).toBe(before + 1)
  })

  it('a failure of PowerDNS is SERVFAIL, nothing has changed, and the same update works later', async () => {
    const updates = [removeRRset('www', 'A'), add('www', 300, 'A', '192.0.2.9')]
    const before = await heldA('www')
    on.gateway.behaviour = 'disconnect'
    expect(await send({ updates })).toBe('SERVFAIL')
    on.gateway.behaviour = 'pass'
    expect(await heldA('www')).toEqual(before)
    expect((await zone.list()).body['data'].records).toHaveLength(4)
    expect(await send({ updates })).toBe('NOERROR')
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.9'])
  })

  it('the port refuses questions, and zones that the key does not have', async () => {
    expect((await ask(updatePort, zone.zone, 'SOA')).rcode).toBe('REFUSED')
    expect(await sendUpdate(key, { zone: 'other.example', updates: [] }, updatePort)).toBe('NOTAUTH')
  })
})

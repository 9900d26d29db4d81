import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../../../test/servers/index.js'
import { databaseKinds } from './app.js'
import { startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'

/** What an operator has set up in PowerDNS for transfers stays, at the start of a server and at changes. */

const secret = Buffer.alloc(32, 7).toString('base64')

describe.each(databaseKinds)('a PowerDNS with its own transfers, and %s', (kind) => {
  let on: PowerDnsSite
  beforeAll(async () => {
    on = await startPowerDnsSite(kind, { primary: 'yes' })
  })
  afterAll(() => on.stop())

  it('keeps kinds, TSIG keys, metadata and serials when a server starts, and serials rise with changes', async () => {
    const owner = await on.owner()
    const zone = await owner.claim()
    const { id } = await zone.add({ type: 'A', host: 'www', value: '192.0.2.1' })
    const path = `/zones/${zone.zone}.`
    const send = async (method: string, to: string, body: object) =>
      expect((await on.powerdns.call(method, to, body)).status).toBeLessThan(300)
    await send('POST', '/tsigkeys', { name: 'ns2', algorithm: 'hmac-sha256', key: secret })
    await send('PUT', path, { kind: 'Master', master_tsig_key_ids: ['ns2.'] })
    await send('POST', `${path}/metadata`, { kind: 'ALSO-NOTIFY', metadata: ['192.0.2.53:53'] })
    const state = async () => {
      const { json } = await on.powerdns.call('GET', path)
      return {
        zone: json as Record<string, unknown>,
        metadata: (await on.powerdns.call('GET', `${path}/metadata`)).json,
      }
    }
    const transferred = () =>
      execFileSync(ensure('dig'), [
        ...['@127.0.0.1', '-p', String(on.powerdns.dnsPort), '-y', `hmac-sha256:ns2:${secret}`],
        ...[zone.zone, 'AXFR', '+noall', '+answer', '+onesoa'],
      ]).toString()

    const before = await state()
    expect(before.zone).toMatchObject({ kind: 'Master', master_tsig_key_ids: ['ns2.'] })
    expect(transferred()).toContain('192.0.2.1')
    await (await on.site.another()).stop()
    expect(await state()).toEqual(before)

    await zone.update(id, { value: '192.0.2.2' })
    const after = await state()
    const { kind: kindAfter, master_tsig_key_ids: keys, serial } = after.zone
    expect({ kindAfter, keys }).toEqual({ kindAfter: 'Master', keys: ['ns2.'] })
    expect(after.metadata).toEqual(before.metadata)
    expect(serial).toBeGreaterThan(Number(before.zone['serial']))
    expect(transferred()).toContain('192.0.2.2')
  })
})

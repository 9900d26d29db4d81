import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask } from '../packages/server/test/dns-ask.js'
import { updateKey } from '../packages/server/test/dns-updater.js'
import { startSite, type Site } from '../packages/server/test/site.js'
import { ownerOn, type Owner } from '../packages/server/test/zone-owner.js'
import { freePort } from '../test/servers/index.js'
import { startBindSecondary, startKnotSecondary } from './nameservers/secondaries.js'

/** Nameservers of an account copy its zone with its key, and are told about changes: the configurations of docs/secondaries.md. */

let site: Site
let owner: Owner
beforeAll(async () => {
  site = await startSite('sqlite', { outboundAllow: ['127.0.0.1/32'] })
  owner = await ownerOn(site)
})
afterAll(() => site.stop())

describe.each([
  ['Knot', startKnotSecondary],
  ['BIND', startBindSecondary],
] as const)('%s', (_, startSecondary) => {
  it('proves its address with its first transfer, and follows each change within seconds', async () => {
    const zone = await owner.claim()
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 60 })
    const key = await updateKey(await site.browser(owner.account.email), { scopes: ['dns:read'] })
    const port = await freePort()
    const added = await owner.call('POST', '/v1/dns/secondaries', { address: '127.0.0.1', port, key_id: key.tokenId })
    const { id, state } = added.body['data'] as { id: number; state: string }
    expect([Number(key.name.split('.')[0]), state]).toEqual([key.tokenId, 'waiting'])
    const primary = { port: site.dnsPort, secret: key.text, keyName: key.name, secondaryPort: port }
    const secondary = await startSecondary(primary, zone.zone)
    const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 100 })
    const served = async () => (await ask(port, `www.${zone.zone}`, 'A')).answers.map(({ value }) => value)
    const shown = async () =>
      (
        (await owner.call('GET', '/v1/dns/secondaries')).body['data'].secondaries as { id: number; state: string }[]
      ).find((one) => one.id === id)
    try {
      await soon(async () => expect(await served()).toEqual(['192.0.2.1']))
      await soon(async () => expect(await shown()).toMatchObject({ state: 'told', answer: 'NOERROR' }))
      for (const value of ['192.0.2.2', '192.0.2.3']) {
        await zone.add({ type: 'A', host: 'www', value, ttl: 60 })
        await soon(async () => expect(await served()).toContain(value))
      }
    } finally {
      await secondary.stop()
    }
  })
})

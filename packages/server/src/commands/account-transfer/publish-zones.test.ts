import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startPowerDnsSite } from '../../../test/powerdns-site.js'
import { dnsSettings } from '../../../test/zone-site.js'
import { readConfig } from '../../config/config.js'
import { exportAccount } from '../account-export.js'
import { importAccount, publishZones } from '../account-import.js'
import { assignZone } from '../dns.js'

it('PowerDNS serves the zones of an imported account, or the command says which it does not serve', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-publish-'))
  const { site, gateway, powerdns, held, owner, stop } = await startPowerDnsSite('sqlite')
  try {
    const ada = await owner()
    await (await ada.claim('moved.com')).add({ type: 'A', host: 'www', value: '192.0.2.7' })
    const before = await held('moved.com')
    const provider = { kind: 'powerdns', url: gateway.url, key: powerdns.key } as const
    const other = { ...readConfig({ env: { SVC_DATA: join(folder, 'other') } }), dns: { ...dnsSettings([]), provider } }
    const file = join(folder, 'ada.svc')
    const settings = { ...other, database: site.database }
    const nothing = () => Promise.resolve(undefined)
    await exportAccount(settings, { email: ada.account.email, file, showKey: nothing, onProgress: () => undefined })

    // The provider has the zone from another installation: like any claim, that of the archive is pending.
    const { zones, changes } = await importAccount(other, { file, email: undefined, readKey: nothing })
    expect(zones).toEqual([])
    expect(changes).toContain('The records of moved.com (1) are kept, and served when the account verifies the zone.')
    expect(await held('moved.com')).toEqual(before)
    await powerdns.call('DELETE', '/zones/moved.com.')
    await assignZone(other, 'moved.com', ada.account.email)
    expect(await held('moved.com')).toEqual(before)

    await powerdns.call('DELETE', '/zones/moved.com.')
    const third = { ...other, ...readConfig({ env: { SVC_DATA: join(folder, 'third') } }), dns: other.dns }
    const free = await importAccount(third, { file, email: undefined, readKey: nothing })
    expect(free.zones).toEqual(['moved.com'])
    gateway.behaviour = { status: 500, body: '' }
    await expect(publishZones(third, free.zones)).rejects.toThrow(
      /^The account is imported, but the DNS provider does not serve moved\.com \([^)]*\): run svc dns sync\.$/,
    )
    gateway.behaviour = 'pass'
    await publishZones(third, free.zones)
    expect(await held('moved.com')).toEqual(before)
  } finally {
    await stop()
    await rm(folder, { recursive: true })
  }
})

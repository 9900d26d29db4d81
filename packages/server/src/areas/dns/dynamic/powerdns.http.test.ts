import { afterAll, beforeAll, expect, it } from 'vitest'
import { dyndns } from '../../../../test/dyndns-client.js'
import { startPowerDnsSite, type PowerDnsSite } from '../../../../test/powerdns-site.js'
import type { Owner } from '../../../../test/zone-owner.js'

/** Dynamic DNS with PowerDNS. */

let on: PowerDnsSite
let owner: Owner
beforeAll(async () => {
  on = await startPowerDnsSite('sqlite')
  owner = await on.owner()
})
afterAll(() => on.stop())

it('sets both addresses in PowerDNS, and asks it nothing if they are the same', async () => {
  const zone = await owner.claim()
  const query = `hostname=home.${zone.zone}&myip=192.0.2.1,2001:db8::1`
  const update = async () => (await dyndns(on.site, owner.token, query)).text
  expect(await update()).toBe('good 192.0.2.1,2001:db8::1\n')
  expect([await zone.served('home', 'A'), await zone.served('home', 'AAAA')]).toEqual([
    ['60 192.0.2.1'],
    ['60 2001:db8::1'],
  ])
  const serial = await zone.serial()
  await on.gateway.close()
  for (let i = 0; i < 3; i++) expect(await update()).toBe('nochg 192.0.2.1,2001:db8::1\n')
  expect((await dyndns(on.site, owner.token, `hostname=home.${zone.zone}&myip=192.0.2.2`)).text).toBe('dnserr\n')
  await on.gateway.open()
  expect(await zone.served('home', 'A')).toEqual(['60 192.0.2.1'])
  expect(await zone.serial()).toBe(serial)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resumeUser, suspendUser } from '../src/commands/user-suspend.js'
import { syncDns } from '../src/commands/dns-sync.js'
import { databaseKinds } from './app.js'
import { startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import { dnsSettings } from './zone-site.js'
import type { Owner } from './zone-owner.js'

/** Suspended accounts with PowerDNS as the DNS provider. */

describe.each(databaseKinds)('a suspended account with a zone in PowerDNS, with %s', { timeout: 60_000 }, (kind) => {
  let on: PowerDnsSite
  let owner: Owner
  beforeAll(async () => {
    on = await startPowerDnsSite(kind)
    owner = await on.owner()
  })
  afterAll(() => on.stop())

  const config = () => ({
    database: on.site.database,
    dns: { ...dnsSettings([]), provider: { kind: 'powerdns', url: on.gateway.url, key: on.powerdns.key } as const },
  })
  const synced = async () => {
    const outcomes: string[] = []
    const { strangers } = (await syncDns(config(), {
      zone: undefined,
      dryRun: true,
      done: ({ zone, outcome }) => outcomes.push(`${zone} ${outcome}`),
    }))!
    return { strangers, outcomes }
  }

  it('with --all has no zone there, also for svc dns sync, until it is resumed with its records', async () => {
    const { zone, add } = await owner.claim()
    await add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    const { email } = owner.account
    const held = await on.held(zone)
    expect(held).toContain(`www.${zone}. A 300 192.0.2.1`)
    await suspendUser(config(), email, false)
    expect(await on.held(zone)).toEqual(held)
    await suspendUser(config(), email, true)
    expect(await on.held(zone)).toBeUndefined()
    expect(await synced()).toEqual({ strangers: [], outcomes: [] })
    // After a failure of the provider, the command is repeated.
    await suspendUser(config(), email, true)
    await resumeUser(config(), email)
    expect(await on.held(zone)).toEqual(held)
    expect(await synced()).toEqual({ strangers: [], outcomes: [`${zone} in_sync`] })
  })
})

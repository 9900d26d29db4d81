import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { claimStore } from '../claims/store.js'
import { selectPublisher } from '../publishing/select.js'
import { dnsStores, type DnsStores } from '../stores.js'
import { commandZoneLock } from '../publishing/zone-lock.js'
import { zoneStore } from '../publishing/zone-store.js'
import { readServedZone } from './export-store.js'
import { importStore } from './import-store.js'
import { readZoneFile } from './reader.js'
import type { Dns, Zone } from '../../../ports/dns/port.js'

const options = { replace: false, recordsMax: 10_000, zoneBytesMax: 4_000_000, now: '2026-01-01T00:00:00.000Z' }
const everyType = String.raw`
@ A 192.0.2.1
@ AAAA 2001:db8::1
@ MX 10 mail
@ TXT "say \"\\\195\188\"" "{[':;']}"
@ CAA 0 issue "letsencrypt.org"
@ SPF "v=spf1 -all"
www CNAME @
sub NS ns1.example.net.
_sip._tcp SRV 1 2 3 sip.example.net.
1 PTR www
`

describe.each(databaseKinds)('the import store on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())

  async function imported(zone: string) {
    const store = importStore(site.db)
    const account = site.people[0]!
    await claimStore(site.db).claim(account, zone)
    return {
      store,
      account,
      read: (text: string) => readZoneFile(zone, text, { recordsMax: 10_000 }).records,
      served: () => zoneStore(site.otherDb).contents(zone),
    }
  }

  it('a file is imported whole, with one step of the serial; a second import is a no-op', async () => {
    const { store, account, read, served } = await imported('every.example')
    const { serial } = await served()
    const records = read(everyType)
    const plan = await store.apply(account, 'every.example', records, options)
    expect(plan).toMatchObject({ serial: serial + 1, deleted: [], ttlChanged: [] })
    expect(plan.created).toHaveLength(10)
    const contents = await readServedZone(site.db, 'every.example')
    expect(
      contents?.records.map(({ type, host, value, ttl, priority }) => ({ type, host, value, ttl, priority })),
    ).toEqual(records.map(({ record }) => record))
    expect(contents?.records.at(-1)).toMatchObject({ id: 10, created_at: options.now, updated_at: options.now })
    expect((await served()).rrsets).toHaveLength(10)

    const again = await store.apply(account, 'every.example', records, options)
    expect(again).toMatchObject({ serial: serial + 1, created: [], deleted: [], ttlChanged: [] })
  })

  it('changed records keep their id and creation time, deleted ones are gone, ids are never assigned again', async () => {
    const { store, account, read } = await imported('changed.example')
    await store.apply(account, 'changed.example', read('a A 192.0.2.1\nb A 192.0.2.1\nc A 192.0.2.1'), options)
    const now = '2026-02-02T00:00:00.000Z'
    const replace = { ...options, replace: true, now }
    await store.apply(account, 'changed.example', read('a 300 A 192.0.2.1\nb 3600 A 192.0.2.1'), replace)
    await store.apply(account, 'changed.example', read('d A 192.0.2.1'), options)
    expect((await readServedZone(site.db, 'changed.example'))?.records).toMatchObject([
      { id: 1, host: 'a', ttl: 300, created_at: options.now, updated_at: now },
      { id: 2, host: 'b', ttl: 3600, updated_at: options.now },
      { id: 4, host: 'd' },
    ])
  })

  it('nothing is imported if one record conflicts, or if the import is only planned', async () => {
    const { store, account, read, served } = await imported('refused.example')
    const before = await served()
    const bad = read('a A 192.0.2.1\na CNAME b')
    await expect(store.apply(account, 'refused.example', bad, options)).rejects.toThrow(
      /^line 2: a already has records/,
    )
    await expect(store.plan(account, 'refused.example', bad, options)).rejects.toThrow(/^line 2: a already has records/)
    expect((await store.plan(account, 'refused.example', read('a A 192.0.2.1'), options)).created).toHaveLength(1)
    expect(await served()).toEqual(before)
  })

  it('a zone that is not verified for the account is refused', async () => {
    const { store, read } = await imported('mine.example')
    const other = site.people[1]!
    await expect(store.apply(other, 'mine.example', read('a A 192.0.2.1'), options)).rejects.toThrow(ApiError)
    await expect(store.apply(other, 'no.example', read('a A 192.0.2.1'), options)).rejects.toThrow(ApiError)
    expect(await readServedZone(site.db, 'no.example')).toBeUndefined()
    expect(await store.holder('no.example')).toBeUndefined()
    expect(await store.holder('mine.example')).toEqual({ id: site.people[0]!.id, email: 'p0@example.com' })
  })

  it('ten thousand records are imported within seconds, and so is a new ttl for all of them', async () => {
    const { store, account, read } = await imported('large.example')
    const file = (ttl: number) =>
      read(Array.from({ length: 10_000 }, (_, n) => `h${n} ${ttl} A 192.0.2.${n % 256}`).join('\n'))
    const start = process.cpuUsage()
    await store.apply(account, 'large.example', file(300), options)
    const plan = await store.apply(account, 'large.example', file(600), options)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(8000)
    expect(plan.ttlChanged).toHaveLength(10_000)
  })

  it('an external provider gets the zone before the commit, and is restored when it or the commit fails', async () => {
    const { store, account, read, served } = await imported('provider.example')
    await store.apply(account, 'provider.example', read('a A 192.0.2.1'), options)
    const { serial, rrsets: had } = await served()
    const given: Zone[] = []
    let failing = false
    const provider = {
      isExternal: true,
      setZone: async (zone: Zone) => {
        given.push(zone)
        if (failing && given.length === 1) throw new ApiError('upstream_error', 'down')
      },
    } as unknown as Dns
    const publisherFor = (dns: Dns | undefined, changed: Partial<DnsStores> = {}) =>
      selectPublisher(dns, {
        stores: { ...dnsStores(site.db, { ...options, zonesMax: 10 }), ...changed },
        withZoneLock: commandZoneLock(site.db.withLock),
        notePublished: () => undefined,
        reportRestoreFailed: (_: string, error: unknown) => {
          throw error
        },
      })
    const runAt = (dns: Dns | undefined, changed: Partial<DnsStores> = {}, file = 'b A 192.0.2.2', replace = false) =>
      publisherFor(dns, changed).applyImport(account, 'provider.example', read(file), { ...options, replace })
    const run = (changed?: Partial<DnsStores>) => runAt(provider, changed)

    failing = true
    await expect(run()).rejects.toThrow('down')
    expect(given.map(({ rrsets }) => rrsets.length)).toEqual([2, 1])
    expect(given[1]?.rrsets).toEqual(had)

    failing = false
    given.length = 0
    const failed = async () => {
      throw new Error('disk full')
    }
    await expect(run({ imports: { ...store, apply: failed } })).rejects.toThrow('disk full')
    expect(given.map(({ rrsets }) => rrsets.length)).toEqual([2, 1])
    expect((await served()).serial).toBe(serial)

    given.length = 0
    const lost = async (...args: Parameters<typeof store.apply>) => {
      await store.apply(...args)
      throw new Error('Connection terminated unexpectedly')
    }
    expect(await run({ imports: { ...store, apply: lost } })).toMatchObject({ serial: serial + 1 })
    await run()
    expect(given).toMatchObject([{ zone: 'provider.example', serial: serial + 1 }])
    await expect(runAt(undefined)).resolves.toMatchObject({ created: [] })
    expect((await served()).rrsets).toHaveLength(2)

    await runAt(provider, {}, 'c A 192.0.2.3')
    expect(given.at(-1)).toMatchObject({ serial: serial + 2 })
    await runAt(provider, { imports: { ...store, apply: lost } }, 'c A 192.0.2.3', true)
    expect(given.at(-1)?.rrsets).toHaveLength(1)
    expect((await served()).rrsets).toHaveLength(1)

    const counts = await publisherFor(provider).importRecords(
      account,
      'provider.example',
      read('d A 192.0.2.4'),
      options,
    )
    expect(counts).toEqual({ created: 1, ttlChanged: 0, deleted: 0, serial: serial + 4 })
    expect(given.at(-1)).toMatchObject({ serial: serial + 4 })
  })
})

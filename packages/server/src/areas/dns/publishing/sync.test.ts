import { expect, it } from 'vitest'
import type { DnsProvider, Drift, Zone } from '../../../ports/dns/port.js'
import type { ZoneStore } from './zone-store.js'
import { publishStored } from './stored-zone.js'
import { syncZone } from './sync.js'

const zone: Zone = { zone: 'sync.example', serial: 1, rrsets: [] }
const drift: Drift = {
  missing: false,
  mark: 'own',
  differences: [{ action: 'add', name: zone.zone, type: 'A' }],
  keepsSerial: false,
  unmanaged: [],
}

/** A provider that accepts every zone and stays as it is. */
const stubborn = { setZone: async () => undefined, drift: async () => drift } as unknown as DnsProvider

it('a sync fails if the provider accepts the records and still differs', async () => {
  const zones = { contents: async () => zone, serial: async () => 1 } as unknown as ZoneStore
  const withZoneLock = async <R>(_: string, change: (time: { work: undefined; restore: undefined }) => Promise<R>) =>
    change({ work: undefined, restore: undefined })
  expect(await syncZone({ zones, provider: stubborn, withZoneLock }, zone.zone, false)).toMatchObject({
    outcome: 'failed',
    problem: 'The DNS provider accepted the records, but still differs from the database.',
  })
})

it('publishing gives up after five attempts if the zone changes during each of them', async () => {
  let serial = 0
  let published = 0
  const zones = { contents: async () => zone, serial: async () => ++serial }
  const provider = {
    setZone: async () => {
      published++
    },
    removeZone: () => expect.fail('The zone was not deleted.'),
  }
  await expect(publishStored(zones, provider, zone.zone)).rejects.toMatchObject({
    code: 'upstream_error',
    extra: { zone: zone.zone },
  })
  expect(published).toBe(5)
})

import { expect, it } from 'vitest'
import { twoProcesses } from '../../../../test/two-processes.js'
import type { Database } from '../../../db/port.js'
import { dnsStores } from '../stores.js'
import { recordLists } from './list-store.js'

it('reads the list of a large zone in one turn if the zone changes during each attempt to read it in pages', async () => {
  const site = await twoProcesses('sqlite')
  const ada = site.people[0]!
  const zone = 'changing.example'
  const stores = dnsStores(site.db, { recordsMax: 10, zoneBytesMax: 10_000, zonesMax: 10 })
  await stores.claims.claim(ada, zone)
  const record = { type: 'A', host: 'www', value: '192.0.2.1', ttl: 60, priority: null } as const
  await stores.records.apply(ada, zone, { kind: 'create', record }, '2026-11-22T00:00:00.000Z')

  let reads = 0
  const one: Database['one'] = async (query, params) => {
    const row = await site.db.one(query, params)
    const isZone = typeof row === 'object' && row !== null && 'serial' in row
    return isZone ? { ...row, serial: ++reads, content_bytes: 1_000_000 } : row
  }
  const list = recordLists({ ...site.db, dialect: 'sqlite', one, all: (query, params) => site.db.all(query, params) })

  const json = await list(ada, zone, null)
  expect(reads).toBe(4)
  expect(JSON.parse(typeof json === 'string' ? json : Buffer.concat([...json]).toString())).toMatchObject([
    { host: 'www', value: '192.0.2.1' },
  ])
  await site.stop()
})

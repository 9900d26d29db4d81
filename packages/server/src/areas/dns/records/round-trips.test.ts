import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshPostgres } from '../../../../../../test/servers/index.js'
import { startCommitProxy, type CommitProxy } from '../../../../test/commit-proxy.js'
import { connect } from '../../../db/connect.js'
import type { Database } from '../../../db/port.js'
import type { Account } from '../../../shared/account.js'
import { accountStore } from '../../account/accounts/store.js'
import { claimStore } from '../claims/store.js'
import type { RecordChange } from './record.js'
import { recordStore, type RecordStore } from './store.js'

/** The round trips of a change on PostgreSQL: what a distant database costs. */

const zone = 'zone.example'
const now = '2026-11-22T09:30:00Z'
let proxy: CommitProxy
let db: Database
let account: Account
let records: RecordStore
beforeAll(async () => {
  proxy = await startCommitProxy(await freshPostgres())
  db = await connect({ kind: 'postgres', url: proxy.url }, (error) => {
    throw error
  })
  account = await accountStore(db).add({ email: 'ada@example.com', nickname: '', passwordHash: 'x', now: 0 })
  await claimStore(db).assign(account, zone)
  records = recordStore(db, { recordsMax: 100, zoneBytesMax: 10_000 })
  // The first write opens the connection.
  await records.apply(account, zone, create('first'), now)
})
afterAll(async () => {
  await db.close()
  await proxy.stop()
})

const create = (host: string, ttl = 300): RecordChange => ({
  kind: 'create',
  record: { type: 'A', host, value: '192.0.2.1', ttl, priority: null },
})

// Each row changes the record that the rows before it have left.
it.each<[name: string, roundTrips: number, change: RecordChange]>([
  ['a new record', 2, create('www')],
  ['a new ttl of a record', 2, create('www', 600)],
  ['a record that exists', 2, create('www', 600)],
  ['an update', 3, { kind: 'update', id: 2, changes: { value: '192.0.2.2' } }],
  ['a move to another host', 4, { kind: 'update', id: 2, changes: { host: 'web' } }],
  ['a deletion', 3, { kind: 'delete', id: 2 }],
])('%s takes %i round trips', async (_name, roundTrips, change) => {
  const before = proxy.roundTrips()
  await records.apply(account, zone, change, now)
  expect(proxy.roundTrips() - before).toBe(roundTrips)
})

it('a batch takes 3 round trips, however many changes it has', async () => {
  const { id } = (await records.apply(account, zone, create('batch'), now)).record
  const created = Array.from({ length: 30 }, (_, i) => create(`batch${i}`))
  const before = proxy.roundTrips()
  const { added } = await records.applyChanges(account, zone, [...created, { kind: 'delete', id }], now)
  expect([added.length, proxy.roundTrips() - before]).toEqual([30, 3])
})

it('a change in a zone of another account is rolled back twice, in 2 round trips each', async () => {
  const before = proxy.roundTrips()
  await expect(records.apply(account, 'other.example', create('www'), now)).rejects.toThrow('not verified')
  expect(proxy.roundTrips() - before).toBe(4)
})

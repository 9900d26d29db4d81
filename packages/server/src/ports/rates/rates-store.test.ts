import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshPostgres } from '../../../../../test/servers/index.js'
import type { Database } from '../../db/port.js'
import { openPostgresDatabase } from '../../db/postgres/postgres.js'
import { openSqliteDatabase } from '../../db/sqlite/sqlite.js'
import { ratesStore } from './rates-store.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-rates-store-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const failOn = (error: Error) => {
  throw error
}

const hour = 3_600_000
const noon = Date.parse('2026-11-20T12:00:00Z')
const rates = (fetchedAt: number, eur: number) => ({
  fetchedAt,
  perUsd: new Map([
    ['EUR', eur],
    ['USD', 1],
  ]),
})

describe.each([
  ['SQLite', () => openSqliteDatabase(join(folder, 'svc.db'))],
  ['PostgreSQL', async () => openPostgresDatabase(await freshPostgres(), failOn)],
])('stored rates on %s', (_, open) => {
  let db: Database
  let store: ReturnType<typeof ratesStore>
  beforeAll(async () => {
    db = await open()
    store = ratesStore(db)
  })
  afterAll(() => db.close())

  it('stored rates are undefined before the first save', async () => {
    expect(await store.last()).toBeUndefined()
  })

  it('stored rates are replaced by newer rates only', async () => {
    await store.save(rates(noon, 0.86))
    expect(await store.last()).toEqual(rates(noon, 0.86))
    await store.save(rates(noon + 1, 0.87))
    expect(await store.last()).toEqual(rates(noon + 1, 0.87))
    await store.save(rates(noon, 0.1))
    await store.save(rates(noon + 1, 0.2))
    expect(await store.last()).toEqual(rates(noon + 1, 0.87))
  })

  it('stored rates are replaced by older rates if their time was days ahead because of a wrong clock', async () => {
    await store.save(rates(noon + 48 * hour, 0.9))
    await store.save(rates(noon + 2, 0.88))
    expect(await store.last()).toEqual(rates(noon + 2, 0.88))
  })
})

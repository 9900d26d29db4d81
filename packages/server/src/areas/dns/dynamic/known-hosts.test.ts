import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type TestApp, startApp } from '../../../../test/app.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import type { Database } from '../../../db/port.js'
import { knownHosts } from './known-hosts.js'

/** How many queries it takes to know that an update changes nothing. */

describe.each(databaseKinds)('hosts of updates on %s', (kind) => {
  let app: TestApp
  let owner: Owner
  let zone: ZoneClient
  let queries = 0
  let db: Database
  beforeEach(async () => {
    app = await startApp(kind)
    owner = await ownerOn(app)
    zone = await owner.claim()
    const { database } = app.app
    const all: Database['all'] = (query, params) => {
      queries++
      return database.all(query, params)
    }
    db = { ...database, commitNumber: () => database.commitNumber(), all }
  })
  afterEach(() => app.stop())

  it('are read once, then no query on SQLite and one on PostgreSQL tells that they are current', async () => {
    const hosts = knownHosts(db)
    const name = `home.${zone.zone}`
    const find = async () => {
      queries = 0
      return (await hosts.find(owner.account, [name])).get(name)
    }
    await zone.add({ type: 'A', host: 'home', value: '192.0.2.1', ttl: 300 })
    const expected = { zone: zone.zone, host: 'home', A: { count: 1, value: '192.0.2.1', ttl: 300 } }
    expect(await find()).toMatchObject(expected)
    expect(queries).toBe(2)
    const later = kind === 'sqlite' ? 0 : 1
    for (let i = 0; i < 3; i++) {
      expect(await find()).toMatchObject(expected)
      expect(queries).toBe(later)
    }
    // A change of another zone.
    await (await owner.claim()).add({ type: 'A', host: 'home', value: '192.0.2.9' })
    await find()
    expect(queries).toBe(1)
    await find()
    expect(queries).toBe(later)
    await zone.add({ type: 'A', host: 'home', value: '192.0.2.2', ttl: 300 })
    expect(await find()).toMatchObject({ A: { count: 2 }, AAAA: { count: 0, value: undefined } })
    expect(queries).toBe(2)
    expect((await hosts.find(owner.account, ['other.example.net'])).size).toBe(0)
  })
})

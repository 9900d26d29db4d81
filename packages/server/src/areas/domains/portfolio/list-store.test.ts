import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import type { Reader } from '../../../db/port.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Domain } from './domain.js'
import { listStore } from './list-store.js'
import { portfolioStore } from './store.js'

const count = 1_200

describe.each(databaseKinds)('lists of several pages on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
    const names = Array.from({ length: count }, (_, n) => `domain-${String(n)}.com`)
    await portfolioStore(site.db, count).add(site.people[0]!, names)
    await portfolioStore(site.db, count).add(site.people[1]!, ['of-other.com'])
    await runSql(site.config, 'update domain set expires_at = id * 7919 % 300 where id % 5 > 0')
  })
  afterAll(() => site.stop())

  const list = async (db: Pick<Reader, 'one'> = site.db): Promise<Domain[]> =>
    JSON.parse(`[${Buffer.concat(await listStore(db).listJson(site.people[0]!)).toString()}]`) as Domain[]

  it('a list of several pages has each domain of the account once, sorted by expiry and name', async () => {
    const rows = await runSql(
      site.config,
      `select name from domain where account_id = ${String(site.people[0]!.id)}
        order by case when expires_at is null then 1 else 0 end, expires_at, name`,
    )
    const domains = await list()
    expect(domains.map(({ domain }) => domain)).toEqual(rows.map(({ name }) => name))
    expect(domains).toHaveLength(count)
  })

  it('the event loop handles other work between the pages', async () => {
    let [isListed, turns] = [false, 0]
    const listing = list().finally(() => (isListed = true))
    for (; !isListed; turns++) await nextTurn()
    await listing
    expect(turns).toBeGreaterThan(count / 500)
  })

  it('domains that are removed meanwhile are missing, also all of the first page', async () => {
    const one: Reader['one'] = async (query, params) => {
      const row = await site.db.one(query, params)
      await runSql(site.config, 'delete from domain where expires_at < 200')
      return row
    }
    const before = await list()
    const after = await list({ one })
    expect(after.length).toBeLessThan(before.length - 500)
    expect(after).toEqual(before.slice(-after.length))
  })
})

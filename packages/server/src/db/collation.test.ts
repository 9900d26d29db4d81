import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshPostgres, languageCollation } from '../../../../test/servers/index.js'
import { runSql } from '../../test/site.js'
import { accountStore } from '../areas/account/accounts/store.js'
import { operatorZones } from '../areas/dns/claims/operator-zones.js'
import { reservedStore } from '../areas/dns/claims/reserved-store.js'
import { claimStore } from '../areas/dns/claims/store.js'
import { domainStore } from '../areas/sites/domains/store.js'
import type { Account } from '../shared/account.js'
import { connect, type DatabaseConfig } from './connect.js'
import type { Database } from './port.js'

/** Lists are in the same order in every database: in the order of their bytes. */

const names = ['ab-c.example', 'abb.example', 'abd.example']

let config: DatabaseConfig
let db: Database
let ada: Account
beforeAll(async () => {
  config = { kind: 'postgres', url: await freshPostgres(languageCollation) }
  db = await connect(config, (error) => {
    throw error
  })
  ada = await accountStore(db).add({ email: 'ada@example.com', nickname: '', passwordHash: 'x', now: 1 })
})
afterAll(() => db.close())

it('the database sorts by the rules of a language, which compare the letters first', async () => {
  const values = names.map((name) => `('${name}')`).join()
  const sorted = await runSql(config, `select name from (values ${values}) as given (name) order by name`)
  expect(sorted.map(({ name }) => name)).toEqual(['abb.example', 'ab-c.example', 'abd.example'])
})

it('zones and domains are listed in the order of their bytes', async () => {
  for (const zone of names) await claimStore(db).claim(ada, zone)
  expect((await claimStore(db).list(ada, 'all')).map(({ zone }) => zone)).toEqual(names)

  for (const zone of names) await reservedStore(db).add(zone)
  expect(await reservedStore(db).list()).toEqual(names)
  const unconfirmed = await reservedStore(db).unconfirmed(
    operatorZones({ nameservers: [], publicUrl: undefined, sitesDomain: 'localhost' }),
  )
  expect(unconfirmed.map(({ zone }) => zone)).toEqual(names)

  await runSql(
    config,
    `insert into site (account_id, name, version_id, files, size, created_at, deployed_at) values (${ada.id}, 'ada', 1, 0, 0, 0, 0)`,
  )
  for (const name of names)
    await runSql(
      config,
      `insert into site_domain (host, site_id, account_id, zone, records, created_at) values ('${name}', 1, ${ada.id}, '${name}', '[]', 0)`,
    )
  expect((await domainStore(db).list(ada)).map(({ host }) => host)).toEqual(names)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshPostgres, languageCollation } from '../../../../test/servers/index.js'
import { allQueries, type DeclaredQuery } from '../../test/declared-queries.js'
import { filledPostgres } from '../../test/postgres-plans.js'
import { sqlitePlans } from '../../test/sqlite-plans.js'
import { connect, type DatabaseConfig } from './connect.js'
import type { Dialect } from './dialect.js'

/** Every declared query reads the rows that it needs, by an index, however many other rows and accounts there are. */

/** Tables that stay small, with the reason. */
const smallTables = {
  account_webhook_position: 'one row',
  account_plan: 'one row for each `svc plan set`',
  acme_account: 'one row for each CA',
  acme_proof: 'the proofs of orders that are under way',
  certificate: 'one row for each certificate of the server: at most some thousands, read at a change',
  blob_writer: 'one row for each running process',
  change_clock: 'at most 64 rows for each kind of change',
  dns_key: 'at most 100 rows, one for each `svc dns key add`',
  dns_challenge: 'the values of orders that are under way',
  dns_process: 'one row for each running process',
  dns_process_zone: 'the zones that have proven names since the processes have started',
  dns_reserved: 'one row for each `svc dns reserve`',
  installation: 'one row',
  job_run: 'one row for each job',
  master_key: 'one row',
  master_key_handover: 'one row',
}

/** Tables of which a query may read rows of other accounts, with the reason. */
const sharedTables = {
  dns_record: 'a zone has the records of its holder, and those of the few accounts that held it before',
}

/** Queries that may read more, with the reason. */
const exceptions: Record<string, string> = {
  'app/account-rows-store.ts queries': 'looks up deliveries by the deployments of the account',
  'app/wanted-certificates-store.ts wanted': 'reads what all accounts want, after a change',
  'areas/tls/store.ts ofAccount': 'looks up which account has verified the zone of each certificate',
  'areas/tls/overview-store.ts failing': 'looks up which account has verified the zone of each certificate',
  'areas/tls/search-store.ts named': 'looks up which account has verified the zone of each certificate',
  'journal/retention-store.ts accountEvents': 'runs in svc doctor alone',
  'journal/retention-store.ts operatorEvents': 'runs in svc doctor alone',
  'areas/account/first-run/store.ts anyAccount': 'reads one row',
  'areas/account/tokens/authenticating-store.ts newest': 'reads one row',
  'areas/deployments/removal-store.ts next': 'reads one row',
  'areas/dns/claims/reserved-store.ts unconfirmed': 'runs once, at the start',
  'areas/dns/secondaries/store.ts allProven': 'runs once, at the start',
  'areas/dns/transfers/published-store.ts moveAll': 'changes all zones, at a start with other settings',
  'areas/sites/versions/account-removal-store.ts removeSites':
    'SQLite looks up the versions and domains of a deleted site by the site, for their foreign keys',
  'journal/live-store.ts writers': 'PostgreSQL reads pg_database, which has a row for each database of the server',
  'areas/domains/portfolio/store.ts byName':
    'PostgreSQL may take the index by name while almost all domains have different names',
}

let queries: DeclaredQuery[]
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-plans-'))
  queries = await allQueries()
})
afterAll(() => rm(folder, { recursive: true }))

async function migrated(config: DatabaseConfig): Promise<void> {
  const db = await connect(config, (error) => {
    throw error
  })
  await db.close()
}

/** Excess reads that depend on the table alone. */
const expected = new Set([
  ...Object.keys(smallTables).map((table) => `reads all of ${table}`),
  ...Object.keys(sharedTables).map((table) => `reads rows of other accounts from ${table}`),
])

const excessive = new Set<string>()
async function expectNoExcess(
  dialect: Dialect,
  excessReads: (query: DeclaredQuery['query']) => string[] | Promise<string[]>,
) {
  const unexpected: string[] = []
  for (const { name, query } of queries.filter(({ query: { only } }) => only === undefined || only === dialect)) {
    const excess = (await excessReads(query)).filter((read) => !expected.has(read))
    if (excess.length > 0) excessive.add(name)
    if (!(name in exceptions)) unexpected.push(...excess.map((read) => `${name} ${read}`))
  }
  expect(unexpected).toEqual([])
}

describe('every query reads only the rows that it needs', () => {
  it('every query reads only the rows that it needs on SQLite', async () => {
    const file = join(folder, 'svc.db')
    await migrated({ kind: 'sqlite', file })
    const sqlite = sqlitePlans(file)
    try {
      await expectNoExcess('sqlite', (query) => sqlite.excessReads(query.for('sqlite')))
    } finally {
      sqlite.close()
    }
  })

  describe('on PostgreSQL, with the collation of a language', () => {
    let postgres: Awaited<ReturnType<typeof filledPostgres>>
    beforeAll(async () => {
      const url = await freshPostgres(languageCollation)
      await migrated({ kind: 'postgres', url })
      postgres = await filledPostgres(url)
    })
    afterAll(() => postgres.close())

    it.each([100_000, 10_000_000])(
      'every query reads only the rows that it needs on PostgreSQL with %i rows in each table',
      async (rows) => {
        await postgres.pretendRows(rows)
        await expectNoExcess('postgres', (query) => postgres.excessReads(query.for('postgres')))
      },
    )
  })

  // Compares the exceptions with the excess that the tests above found, so it cannot run alone.
  it('each listed exception is still needed', () => {
    expect([...excessive].filter((name) => name in exceptions).toSorted()).toEqual(Object.keys(exceptions).toSorted())
  })
})

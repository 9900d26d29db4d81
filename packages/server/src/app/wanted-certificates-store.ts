import { sql } from 'kysely'
import { noteChange } from '../db/change-clock-store.js'
import { numberList } from '../db/json-list.js'
import type { Database, Dialect, Transaction } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import type { WantedCertificate } from '../db/table-declaration.js'
import { unit } from '../db/unit.js'
import { isNotOfOthers } from '../ports/certificates/acme/certificate-row-store.js'
import { areaTables } from './tables.js'
import { compareWanted, type NewCertificate } from './wanted-certificates-compare.js'

/**
 * Keeps the certificates of accounts as the areas want them. All are compared in memory: no plan of a database can make 10,000 rows a
 * product, and without a difference nothing is written. System store.
 */

/** The rows of one statement. */
const rowsAtOnce = 500

/** One process after another. A no-op on SQLite, which has one writer at a time. */
const lock = prepared((db, _: object, dialect) =>
  db.selectNoFrom(
    (dialect === 'postgres' ? sql`pg_advisory_xact_lock(hashtextextended('wanted certificates', 0))` : sql`1`).as(
      'held',
    ),
  ),
)

/** What all areas want. */
const wanted = prepared((db, _: object, dialect) => {
  const queries = areaTables.flatMap(({ wantedCertificates }) => wantedCertificates?.(dialect) ?? [])
  return db
    .selectFrom(sql<WantedCertificate>`(${sql.join(queries, sql` union all `)})`.as<'wanted'>(sql.ref('wanted')))
    .select(['account_id as accountId', 'zone', 'site', 'host'])
})

const existing = prepared((db, _: object) =>
  db
    .selectFrom('certificate')
    .where('account_id', 'is not', null)
    .select(['id', 'account_id as accountId', 'site', 'names', 'wanted', 'failures', 'not_after as notAfter']),
)

/** Served by the primary key. @param p.ids JSON array */
const endUnwanted = prepared((db, p: { ids: string }, dialect) =>
  db.updateTable('certificate').set({ wanted: 0 }).where('id', 'in', numberList(p.ids, dialect)),
)

/** @param json array of arrays */
const given = (json: string, dialect: Dialect) =>
  sql<{ value: string }>`${sql.raw(dialect === 'postgres' ? 'json_array_elements' : 'json_each')}(${
    dialect === 'postgres' ? sql`cast(${json} as json)` : json
  })`.as<'given'>(sql.ref('given'))

/** @param p.rows JSON array of [account id, zone, site, names] */
const insert = prepared((db, p: { rows: string; now: number }, dialect) => {
  const now = sql<number>`cast(${p.now} as bigint)`
  return db
    .insertInto('certificate')
    .columns(['account_id', 'zone', 'site', 'names', 'created_at', 'next_at', 'failures'])
    .expression((from) =>
      from
        .selectFrom(given(p.rows, dialect))
        // SQLite reads ON as a part of a join without a condition here.
        .where(sql<boolean>`true`)
        .select([
          sql<number>`cast(given.value ->> 0 as bigint)`.as('account_id'),
          sql<string>`given.value ->> 1`.as('zone'),
          sql<string | null>`given.value ->> 2`.as('site'),
          sql<string>`given.value ->> 3`.as('names'),
        ])
        .select([now.as('created_at'), now.as('next_at'), sql<number>`0`.as('failures')]),
    )
    .onConflict((conflict) => conflict.doNothing())
})

/** Those that are wanted again, or for another site: their next attempt stays, or a CA could be asked as often as a site changes. Served by the primary key. @param p.rows JSON array of [id, site] */
const wantAgain = prepared((db, p: { rows: string }, dialect) =>
  db
    .updateTable('certificate')
    .from(given(p.rows, dialect))
    .set({ wanted: 1, site: sql`given.value ->> 1` })
    .where(sql<boolean>`certificate.id = cast(given.value ->> 0 as bigint)`),
)

/**
 * Served by certificate_ended, a partial index that needs the literal. An order that is under way ends first. One that has failed stays
 * until it would be repeated: who deletes and orders a certificate again and again must not reach the CA more often.
 */
const removeEnded = prepared((db, p: { now: number }) =>
  db
    .deleteFrom('certificate')
    .where('wanted', '=', sql.lit(0))
    .where('leased_until', '<=', p.now)
    .where((row) =>
      row.or([
        row('chain', 'is', null).and(row.or([row('failures', '=', 0), row('next_at', '<=', p.now)])),
        row('not_after', '<=', p.now),
        row.not(isNotOfOthers),
      ]),
    ),
)

function inParts(rows: readonly unknown[], send: (json: string) => void): void {
  for (let at = 0; at < rows.length; at += rowsAtOnce) send(JSON.stringify(rows.slice(at, at + rowsAtOnce)))
}

const toRow = ({ accountId, zone, site, names }: NewCertificate) => [accountId, zone, site, names]

async function sync(tx: Transaction, now: number): Promise<void> {
  tx.send(lock, {})
  // Existing rows are read first: a row that is added after this read is not compared, so it is not marked as unwanted.
  const before = await tx.all(existing, {})
  const { missing, again, unwanted } = compareWanted(await tx.all(wanted, {}), before, now)
  inParts(unwanted, (ids) => tx.send(endUnwanted, { ids }))
  inParts(missing.map(toRow), (rows) => tx.send(insert, { rows, now }))
  inParts(
    again.map(({ id, site }) => [id, site]),
    (rows) => tx.send(wantAgain, { rows }),
  )
  const removed = await tx.run(removeEnded, { now })
  if (removed + unwanted.length + again.length > 0) noteChange(tx, 'certificates')
}

const syncWanted = unit(import.meta, 'syncWanted', sync)

/**
 * Adds the certificates that areas want, and ends those that they want no more: they are served until they expire, and then removed. One
 * whose zone another account has verified is removed at once, with its key.
 */
export const syncWantedCertificates = (db: Database): Promise<void> => db.write(syncWanted, Date.now())

import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { nextVersion } from '../zones/version-store.js'

/**
 * What secondaries have been given last. A secondary compares serials only: other contents need a new serial, in every process on the
 * database and after a restart. System store.
 */

/** The row of the SOA and NS records of all zones. The name of a catalog cannot contain a space. */
const apexRow = 'apex records'

const upsert = prepared((db, p: { name: string; digest: string; serial: number }) =>
  db
    .insertInto('dns_published')
    .values({ name: p.name, digest: p.digest, serial: p.serial })
    .onConflict((same) =>
      same
        .column('name')
        .doUpdateSet((row) => ({
          digest: row.ref('excluded.digest'),
          // It continues from the last one even if the clock was set back. After 4,294,967,295 it begins again (RFC 1982).
          serial: sql<number>`case when dns_published.serial >= excluded.serial
            then dns_published.serial % 4294967295 + 1 else excluded.serial end`,
        }))
        .where('dns_published.digest', '!=', (row) => row.ref('excluded.digest')),
    ),
)

const byName = prepared((db, p: { name: string }) =>
  db.selectFrom('dns_published').where('name', '=', p.name).select(['serial', 'digest']),
)

/** All zones in the order of their ids, in which other transactions lock them. */
const moveAll = prepared((db, _: object, dialect) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({ serial: sql<number>`${zone.ref('serial')} % 4294967295 + 1`, version: nextVersion(dialect) }))
    .where('id', 'in', (from) =>
      from
        .selectFrom('dns_zone')
        .select('id')
        .where('deleted_at', 'is', null)
        .orderBy('id')
        .$if(dialect === 'postgres', (query) => query.forUpdate()),
    ),
)

const publish = unit(import.meta, 'publish', async (tx, name: string, digest: string, seconds: number) => {
  await tx.run(upsert, { name, digest, serial: seconds })
  return (await tx.one(byName, { name }))?.serial ?? seconds
})

const publishApex = unit(import.meta, 'publishApex', async (tx, digest: string) => {
  const before = await tx.one(byName, { name: apexRow })
  if (before?.digest === digest) return
  tx.send(upsert, { name: apexRow, digest, serial: 1 })
  // Until the first start of a version with transfers, no secondary has had a copy.
  if (before !== undefined) tx.send(moveAll, {})
})

export const publishedStore = (db: Database) => ({
  /**
   * The serial of a catalog with these members: the last one if they are the same, otherwise a higher one, at first the time.
   * @param digest of the members
   */
  serialOf: (catalog: string, digest: string): Promise<number> =>
    db.write(publish, catalog, digest, Math.floor(Date.now() / 1000)),

  /**
   * Increments the serials of all zones if their SOA and NS records are others than at the last start.
   * @param digest of all that these records depend on, other than the zone
   */
  publishApex: (digest: string): Promise<void> => db.write(publishApex, digest),
})

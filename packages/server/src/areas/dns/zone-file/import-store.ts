import { sql } from 'kysely'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { planImport, sizeOf, type ImportChanges, type ImportOptions } from './import-plan.js'
import { zoneOf, type StoredRecord, type ZoneKey } from '../records/plan.js'
import { isOf } from '../records/owner.js'
import { advance } from '../records/store.js'
import { nextSerial } from '../zones/serial.js'
import type { ReadRecord } from './records.js'
import { zoneTurn } from '../zones/turn.js'
import { holdVersions } from '../zones/version-store.js'

/** Master files in and out of the database, for the operator. */

const columns = ['id', 'type', 'host', 'value', 'ttl', 'priority', 'created_at', 'updated_at'] as const

/** What an import does, or would do. */
export interface ImportPlan extends ImportChanges {
  readonly zoneId: number
  readonly accountId: number
  readonly zone: string
  /** The zone's serial: once it is carried out, the new one. */
  readonly serial: number
  readonly before: readonly StoredRecord[]
}

export const changesNothing = ({ created, retimed, deleted }: ImportChanges): boolean =>
  created.length + retimed.length + deleted.length === 0

/** Served by the primary key (zone_id, id). */
const recordsOf = prepared((db, p: { zoneId: number; accountId: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .select(columns)
    .orderBy('id'),
)

const zoneByName = prepared((db, p: { zone: string }) =>
  db.selectFrom('dns_zone').where('name', '=', p.zone).select(['id', 'serial']),
)

/** The records that a zone serves: those of its holder or, if the holder is null, those without an account. */
const servedRecords = prepared((db, p: { zoneId: number }, dialect) =>
  db
    .selectFrom('dns_zone')
    .innerJoin('dns_record', 'dns_record.zone_id', 'dns_zone.id')
    .where('dns_zone.id', '=', p.zoneId)
    .where((is) => isOf(is.ref('dns_zone.holder_id'), dialect))
    .select(['dns_record.id', 'type', 'host', 'value', 'ttl', 'priority', 'created_at', 'updated_at'])
    .orderBy('dns_record.id'),
)

/** Served by dns_claim_verified (zone). */
const holderOf = prepared((db, p: { zone: string }) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('account', 'account.id', 'dns_claim.account_id')
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', 'verified')
    .select(['account.id', 'account.email']),
)

const fields = sql.join(columns.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.id(name)}`))

/** From a JSON list: ten thousand statements would be ten thousand ways to a PostgreSQL and back. */
const insertAll = prepared((db, p: { zoneId: number; accountId: number; rows: string }, dialect) => {
  const rows =
    dialect === 'postgres'
      ? sql`json_to_recordset(cast(${p.rows} as json)) as r(id bigint, type text, host text, value text, ttl integer,
          priority integer, created_at text, updated_at text)`
      : sql`(select ${fields} from json_each(${p.rows})) as r`
  return db
    .insertInto('dns_record')
    .columns(['zone_id', 'account_id', ...columns])
    .expression(sql`select cast(${p.zoneId} as bigint), cast(${p.accountId} as bigint), r.* from ${rows}`)
})

/**
 * Served by the primary key (zone_id, id). The ids are of records that were read for the account. To ask for the account
 * too, PostgreSQL expects so few rows that it compares each with every id.
 */
const removeAll = prepared((db, p: { zoneId: number; ids: string }, dialect) =>
  db
    .deleteFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where(
      'id',
      'in',
      dialect === 'postgres'
        ? sql<number>`(select cast(value as bigint) from json_array_elements_text(cast(${p.ids} as json)))`
        : sql<number>`(select value from json_each(${p.ids}))`,
    ),
)

async function planned(
  reader: Reader,
  key: ZoneKey,
  read: readonly ReadRecord[],
  options: ImportOptions,
): Promise<ImportPlan> {
  const { id: zoneId, serial, last_record_id } = await zoneOf(reader, key)
  const { accountId } = key
  const before = await reader.all(recordsOf, { zoneId, accountId })
  return { zoneId, accountId, zone: key.zone, serial, before, ...planImport(before, read, last_record_id, options) }
}

/** What changes is taken out, and what is to stand is put in: rows keep their ids and their time of creation. */
async function carryOut(tx: Transaction, plan: ImportPlan): Promise<ImportPlan> {
  if (changesNothing(plan)) return plan
  const { zoneId, accountId, created, retimed, deleted } = plan
  await tx.run(removeAll, { zoneId, ids: JSON.stringify([...deleted, ...retimed].map(({ id }) => id)) })
  await tx.run(insertAll, { zoneId, accountId, rows: JSON.stringify([...retimed, ...created]) })
  const serial = nextSerial(plan.serial)
  await tx.run(holdVersions, {})
  await tx.run(advance, { zoneId, serial, created: created.length, growth: sizeOf(created) - sizeOf(deleted) })
  return { ...plan, serial }
}

/** The unit `dns.import`, for a transaction that does more. */
export const importInTransaction = async (
  tx: Transaction,
  key: ZoneKey,
  read: readonly ReadRecord[],
  options: ImportOptions,
): Promise<ImportPlan> => carryOut(tx, await planned(tx, key, read, options))

const importRecords = unit(import.meta, 'importRecords', zoneTurn, importInTransaction)

export type ZoneImportStore = ReturnType<typeof zoneImportStore>

export const zoneImportStore = (db: Database) => ({
  /** The account that has verified the zone. */
  holder: (zone: string) => db.one(holderOf, { zone }),

  /** The zone with its records, whether or not somebody has it; undefined for one that was never verified. */
  contents: async (zone: string): Promise<{ serial: number; records: readonly StoredRecord[] } | undefined> => {
    const found = await db.one(zoneByName, { zone })
    return found && { serial: found.serial, records: await db.all(servedRecords, { zoneId: found.id }) }
  },

  /** What `import` would do. */
  planned: (account: Pick<Account, 'id'>, zone: string, read: readonly ReadRecord[], options: ImportOptions) =>
    planned(db, { accountId: account.id, zone }, read, options),

  /**
   * All or nothing, with one step of the serial.
   * @throws ApiError `forbidden_zone`; `bad_request` with a line for each record that cannot stand
   */
  import: (
    account: Pick<Account, 'id'>,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportPlan> => db.write(importRecords, { accountId: account.id, zone }, read, options),
})

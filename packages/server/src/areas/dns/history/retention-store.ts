import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'

/**
 * Removes the oldest changes of histories, in parts. System store. There is no index by time, which each change of a zone would pay for: the
 * oldest row of each account in each zone is the first one of the primary key (zone_id, account_id, serial).
 */

/** How many histories are read at a time, and how many rows one transaction removes. */
const atOnce = 500

/** An account, and a zone that it holds or held. */
interface HistoryOwner {
  readonly zoneId: number
  readonly accountId: number
}

/** The changes of one account in one zone. */
export interface StoredHistory extends HistoryOwner {
  /** How many bytes were ever written into the history of the zone. */
  readonly end: number
  /** When the oldest change was made, in milliseconds since the epoch; null without a change. */
  readonly oldest: number | null
  /** Whether there are changes of before the serial began again (change-store.ts). */
  readonly hasFormer: boolean
}

const oldestOf = (zoneId: string, accountId: string) =>
  sql<number | null>`(select at from zone_change where zone_change.zone_id = ${sql.ref(zoneId)}
    and zone_change.account_id = ${sql.ref(accountId)} order by serial limit 1)`.as('oldest')

const hasFormer = (zoneId: string, accountId: string) =>
  sql<number | boolean>`exists (select 1 from zone_change where zone_change.zone_id = ${sql.ref(zoneId)}
    and zone_change.account_id = ${sql.ref(accountId)} and zone_change.serial > dns_zone.serial)`.as('hasFormer')

/** Of the holders, by zone. Served by the primary key. */
const ofHolders = prepared((db, p: { after: number; rows: number }) =>
  db
    .selectFrom('dns_zone')
    .where('id', '>', p.after)
    .select(['id as zoneId', 'holder_id as accountId', 'history_end as end'])
    .select([oldestOf('dns_zone.id', 'dns_zone.holder_id'), hasFormer('dns_zone.id', 'dns_zone.holder_id')])
    .orderBy('id')
    .limit(p.rows),
)

/** Of those who held a zone before, by account. Served by the primary key (account_id, zone_id). */
const ofFormerHolders = prepared((db, p: { accountId: number; zoneId: number; rows: number }) =>
  db
    .selectFrom('dns_former_holder')
    .innerJoin('dns_zone', 'dns_zone.id', 'dns_former_holder.zone_id')
    .where(sql<boolean>`(dns_former_holder.account_id, dns_former_holder.zone_id) > (${p.accountId}, ${p.zoneId})`)
    .select(['dns_former_holder.zone_id as zoneId', 'dns_former_holder.account_id as accountId', 'history_end as end'])
    .select([
      oldestOf('dns_former_holder.zone_id', 'dns_former_holder.account_id'),
      hasFormer('dns_former_holder.zone_id', 'dns_former_holder.account_id'),
    ])
    .orderBy('dns_former_holder.account_id')
    .orderBy('dns_former_holder.zone_id')
    .limit(p.rows),
)

const oldestRows = prepared((db, p: HistoryOwner & { rows: number }) =>
  db
    .selectFrom('zone_change')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .select(['serial', 'at', 'history_end as end'])
    .orderBy('serial')
    .limit(p.rows),
)

/** The serials of changes of before the serial began again. */
const formerRows = prepared((db, p: HistoryOwner & { rows: number }) =>
  db
    .selectFrom('zone_change')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('serial', '>', (of) => of.selectFrom('dns_zone').where('id', '=', p.zoneId).select('serial'))
    .select('serial')
    .orderBy('serial')
    .limit(p.rows),
)

/** Compares with the serial of now: the zone may have changed since the rows were read. */
const removeFormerThrough = prepared((db, p: HistoryOwner & { serial: number }) =>
  db
    .deleteFrom('zone_change')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('serial', '>', (of) => of.selectFrom('dns_zone').where('id', '=', p.zoneId).select('serial'))
    .where('serial', '<=', p.serial),
)

const removeFormer = unit(
  import.meta,
  'removeFormer',
  async (tx, zoneId: number, accountId: number, serial: number) => {
    tx.send(removeFormerThrough, { zoneId, accountId, serial })
  },
)

const removeThrough = prepared((db, p: HistoryOwner & { serial: number }) =>
  db
    .deleteFrom('zone_change')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('serial', '<=', p.serial),
)

const trim = unit(import.meta, 'trim', async (tx, zoneId: number, accountId: number, serial: number) => {
  tx.send(removeThrough, { zoneId, accountId, serial })
})

/** Which changes are removed. */
export interface Expired {
  /** Those made before this time, in milliseconds since the epoch. */
  readonly before: number
  /** Those that are further from the end of the history of their zone, in bytes. */
  readonly maxBytes: number
}

const toHistory = <R extends { hasFormer: number | boolean }>(row: R): R & { hasFormer: boolean } => ({
  ...row,
  hasFormer: Boolean(row.hasFormer),
})

export const retentionStore = (db: Database) => ({
  /** The histories of all holders, then those of former ones, in parts. */
  async *all(): AsyncGenerator<readonly StoredHistory[], void> {
    for (let after = 0; ;) {
      const zones = await db.all(ofHolders, { after, rows: atOnce })
      yield zones.flatMap(({ accountId, ...zone }) => (accountId === null ? [] : [toHistory({ ...zone, accountId })]))
      const last = zones.at(-1)
      if (last === undefined) break
      after = last.zoneId
    }
    for (let after = { accountId: 0, zoneId: 0 }; ;) {
      const former = await db.all(ofFormerHolders, { ...after, rows: atOnce })
      yield former.map(toHistory)
      const last = former.at(-1)
      if (last === undefined) return
      after = { accountId: last.accountId, zoneId: last.zoneId }
    }
  },

  /** Removes a part of the changes of before the serial began again. @returns whether there may be more */
  async trimFormer({ zoneId, accountId }: HistoryOwner): Promise<boolean> {
    const former = await db.all(formerRows, { zoneId, accountId, rows: atOnce })
    const last = former.at(-1)
    if (last === undefined) return false
    await db.write(removeFormer, zoneId, accountId, last.serial)
    return former.length === atOnce
  },

  /** Removes a part of the expired changes. @returns whether there may be more */
  async trim(
    { zoneId, accountId, end }: Omit<StoredHistory, 'oldest' | 'hasFormer'>,
    { before, maxBytes }: Expired,
  ): Promise<boolean> {
    const oldest = await db.all(oldestRows, { zoneId, accountId, rows: atOnce })
    const last = oldest.findLast((row) => row.at < before || row.end <= end - maxBytes)
    if (last === undefined) return false
    await db.write(trim, zoneId, accountId, last.serial)
    return last === oldest.at(-1) && oldest.length === atOnce
  },
})

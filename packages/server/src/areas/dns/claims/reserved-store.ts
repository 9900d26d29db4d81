import { sql } from 'kysely'
import { byBytes } from '../../../db/dialect.js'
import { textList } from '../../../db/json-list.js'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordOperatorEvent } from '../../../journal/event-store.js'
import type { OperatorZones } from './operator-zones.js'

/** Zones that the operator has reserved by name (`svc dns reserve`), and claims on zones that the operator keeps. */

/** A reserved zone also reserves the zones above and below it. The operator reserves few. */
const reservedZone = prepared((db, p: { zone: string; below: string }) =>
  db
    .selectFrom('dns_reserved')
    .where((or) =>
      or.or([or('zone', '=', p.zone), or('zone', 'like', p.below), sql<boolean>`${p.zone} like '%.' || zone`]),
    )
    .select('zone')
    .limit(1),
)

/** Whether the operator has reserved the zone by name. */
export async function isReserved(reader: Reader, zone: string): Promise<boolean> {
  return (await reader.one(reservedZone, { zone, below: `%.${zone}` })) !== undefined
}

const allReserved = prepared((db, _: object, dialect) =>
  db.selectFrom('dns_reserved').select('zone').orderBy('zone', byBytes(dialect)),
)

const insert = prepared((db, p: { zone: string; now: number }) =>
  db
    .insertInto('dns_reserved')
    .values({ zone: p.zone, created_at: p.now })
    .onConflict((conflict) => conflict.doNothing()),
)

const remove = prepared((db, p: { zone: string }) => db.deleteFrom('dns_reserved').where('zone', '=', p.zone))

/** Writes the operator's event of a change. @returns whether rows were changed */
function noted(tx: Transaction, object: string, command: string, rows: number): boolean {
  if (rows > 0) recordOperatorEvent(tx, { at: Date.now(), command, object, accountId: null })
  return rows > 0
}

const reserveZone = unit(import.meta, 'reserveZone', async (tx, zone: string, now: number) =>
  noted(tx, zone, 'svc dns reserve', await tx.run(insert, { zone, now })),
)

const unreserveZone = unit(import.meta, 'unreserveZone', async (tx, zone: string) =>
  noted(tx, zone, 'svc dns reserve --remove', await tx.run(remove, { zone })),
)

/**
 * Verified claims that neither a TXT record nor the operator has confirmed (`txt`), on zones that the operator keeps.
 * It scans the claims if the sites domain has subdomains; it runs once, at the start.
 */
const unconfirmed = prepared((db, p: { above: string; below: string | null }, dialect) => {
  const above = textList(p.above, dialect)
  return db
    .selectFrom('dns_claim')
    .innerJoin('account', 'account.id', 'dns_claim.account_id')
    .where('status', '=', 'verified')
    .where('method', '!=', 'txt')
    .where(
      sql<boolean>`(zone in ${above} or zone in (select zone from dns_reserved) or zone like cast(${p.below} as text))`,
    )
    .select(['zone', 'email'])
    .orderBy('zone', byBytes(dialect))
})

export const reservedStore = (db: Database) => ({
  /** By name. */
  list: async (): Promise<string[]> => (await db.all(allReserved, {})).map(({ zone }) => zone),

  /** @returns false if it was reserved before */
  add: (zone: string): Promise<boolean> => db.write(reserveZone, zone, Date.now()),

  /** @returns false if it was not reserved */
  remove: (zone: string): Promise<boolean> => db.write(unreserveZone, zone),

  /** Claims on zones that the operator keeps, verified before it kept them and not confirmed since. */
  unconfirmed: ({ above, below }: Pick<OperatorZones, 'above' | 'below'>) =>
    db.all(unconfirmed, { above: JSON.stringify(above), below: below === undefined ? null : `%.${below}` }),
})

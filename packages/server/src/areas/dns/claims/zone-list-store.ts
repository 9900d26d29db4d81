import { groupBy } from '@svc/contract/group-by'
import { sql } from 'kysely'
import { isInTexts } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Claim } from './claim.js'

/** Zones of all accounts. Operator store. */

/** A claim on a zone, or a zone that is served without a verified claim. */
export interface ListedZone {
  readonly zone: string
  /** `released`: served with the records of its last holder, who has released it. */
  readonly status: Claim['status'] | 'released'
  /** Null for a released zone. */
  readonly method: Claim['method'] | null
  /** Email of the account with the claim, or of the last holder; null if unknown. */
  readonly account: string | null
  /** How many records the account has in the zone. */
  readonly records: number
  /** When the claim was created, in milliseconds since the epoch; null for a released zone. */
  readonly since: number | null
}

interface Page {
  readonly after: string
  readonly limit: number
}

/** The next names in the order of the database. Served by dns_claim_by_zone (zone, account_id) and dns_zone's unique name. */
const names = prepared((db, p: Page) =>
  db
    .selectFrom(
      db
        .selectFrom(
          db
            .selectFrom('dns_claim')
            .where('zone', '>', p.after)
            .select('zone')
            .distinct()
            .orderBy('zone')
            .limit(p.limit)
            .as('claimed'),
        )
        .select('zone')
        .union((union) =>
          union
            .selectFrom(
              union
                .selectFrom('dns_zone')
                .where('name', '>', p.after)
                .where('deleted_at', 'is', null)
                .select('name as zone')
                .orderBy('name')
                .limit(p.limit)
                .as('served'),
            )
            .select('zone'),
        )
        .as('named'),
    )
    .select('zone')
    .orderBy('zone')
    .limit(p.limit),
)

/** Served by dns_claim_of_account, dns_zone_by_holder and the primary key of dns_former_holder. */
const namesOf = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .select('zone')
    .union((union) => union.selectFrom('dns_zone').where('holder_id', '=', p.accountId).select('name as zone'))
    .union((union) =>
      union
        .selectFrom('dns_former_holder')
        .innerJoin('dns_zone', 'dns_zone.id', 'dns_former_holder.zone_id')
        .where('dns_former_holder.account_id', '=', p.accountId)
        .select('dns_zone.name as zone'),
    )
    .orderBy('zone'),
)

/** The records are counted by the primary key (zone_id, id). */
const recordsOf = (zone: string, account: string) =>
  sql<number>`(select count(*) from dns_record where dns_record.zone_id = ${sql.ref(zone)}
    and dns_record.account_id = ${sql.ref(account)})`

/** Served by dns_claim_by_zone. */
const claims = prepared((db, p: { zones: string }, dialect) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('account', 'account.id', 'dns_claim.account_id')
    .leftJoin('dns_zone', 'dns_zone.name', 'dns_claim.zone')
    .where(isInTexts('dns_claim.zone', p.zones, dialect))
    .select(['zone', 'status', 'method', 'email as account', 'dns_claim.created_at as since'])
    .select(recordsOf('dns_zone.id', 'dns_claim.account_id').as('records'))
    .orderBy('dns_claim.zone')
    .orderBy('dns_claim.account_id'),
)

/** Served by dns_zone's unique name and dns_claim_verified. */
const released = prepared((db, p: { zones: string }, dialect) =>
  db
    .selectFrom('dns_zone')
    .leftJoin('account', 'account.id', 'dns_zone.holder_id')
    .where(isInTexts('dns_zone.name', p.zones, dialect))
    .where('dns_zone.deleted_at', 'is', null)
    .where(
      // Not `not exists`: PostgreSQL would join all claims.
      sql<boolean>`(select count(*) from dns_claim where dns_claim.zone = dns_zone.name and dns_claim.status = 'verified') = 0`,
    )
    .select(['dns_zone.name as zone', 'email as account'])
    .select(
      sql<number>`(select count(*) from dns_record where dns_record.zone_id = dns_zone.id
        and (dns_record.account_id = dns_zone.holder_id or (dns_record.account_id is null and dns_zone.holder_id is null)))`.as(
        'records',
      ),
    ),
)

/** What one account has in a zone. */
export interface ZoneShare {
  /** Email of the account; null for records of an unknown account. */
  readonly account: string | null
  readonly records: number
  /** How many of them are MX records. */
  readonly mx: number
}

/** Served by dns_zone's unique name and the primary key (zone_id, id). */
const shares = prepared((db, p: { zone: string }) =>
  db
    .selectFrom('dns_zone')
    .innerJoin('dns_record', 'dns_record.zone_id', 'dns_zone.id')
    .leftJoin('account', 'account.id', 'dns_record.account_id')
    .where('dns_zone.name', '=', p.zone)
    .groupBy(['account.id', 'account.email'])
    .select((row) => [
      'account.email as account',
      row.fn.countAll<number>().as('records'),
      sql<number>`count(case when type = 'MX' then 1 end)`.as('mx'),
    ])
    .orderBy('account.id'),
)

/** How many names are read at a time. */
const namesAtOnce = 200

export const zoneListStore = (db: Database) => {
  /** What is known of zones, in the order of their names. */
  async function entries(zones: readonly string[]): Promise<ListedZone[]> {
    const given = { zones: JSON.stringify(zones) }
    const served = new Map((await db.all(released, given)).map((row) => [row.zone, row]))
    const claimed = groupBy(await db.all(claims, given), ({ zone }) => zone)
    return zones.flatMap((zone) => {
      const row = served.get(zone)
      const ofZone: readonly ListedZone[] = claimed.get(zone) ?? []
      return row === undefined ? ofZone : [{ ...row, status: 'released', method: null, since: null }, ...ofZone]
    })
  }

  return {
    entries,

    /** Every zone, a page at a time. */
    async *all(): AsyncGenerator<ListedZone[]> {
      for (let after = ''; ;) {
        const page = (await db.all(names, { after, limit: namesAtOnce })).map(({ zone }) => zone)
        yield await entries(page)
        const last = page.at(-1)
        if (last === undefined || page.length < namesAtOnce) return
        after = last
      }
    },

    /** What each account has in a zone, deleted or not. */
    shares: (zone: string): Promise<ZoneShare[]> => db.all(shares, { zone }),

    /** The names of the zones that an account has claimed or held. */
    namesOf: async (accountId: number): Promise<string[]> =>
      (await db.all(namesOf, { accountId })).map(({ zone }) => zone),
  }
}

import { ApiError } from '@svc/contract/errors'
import { sql, type Kysely } from 'kysely'
import { isInNumbers, isInTexts } from '../../../db/json-list.js'
import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import type { Account, ActingAccount } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import type { Rules } from '../../../shared/rules.js'

/**
 * Zones that are verified for an account: only their records can be read and changed. The right to a zone is checked in four forms:
 * `requireVerified`, `verifiedZones`, `lockVerified` and `lockFreeZones`.
 */

/** An account, and the name of one of its zones in canonical form. */
export interface ZoneKey {
  readonly accountId: number
  readonly zone: string
}

/** The same with what acts for the account, which the history of the zone names. */
export interface ActingZoneKey extends ZoneKey {
  readonly actor: Actor
}

/** The same with the rules of the caller's token, which readers and writers of records check: record-rules.ts. */
export interface RuledZoneKey extends ActingZoneKey {
  readonly rules: Rules | undefined
}

/** @param account an operator's command has no rules */
export const zoneKey = ({ id, rules, actor }: ActingAccount, zone: string): RuledZoneKey => ({
  accountId: id,
  zone,
  rules,
  actor,
})

/** The same without rules: claims are checked before they are written. */
export const actingKey = ({ id, actor }: Pick<Account, 'id' | 'actor'>, zone: string): ActingZoneKey => ({
  accountId: id,
  zone,
  actor,
})

/** The columns of a zone that changes are planned with. */
export interface ZoneRow {
  readonly id: number
  readonly serial: number
  readonly last_record_id: number
  readonly content_bytes: number
}

const zoneColumns = ['dns_zone.id', 'dns_zone.serial', 'dns_zone.last_record_id', 'dns_zone.content_bytes'] as const

const claimedZones = (db: Kysely<Tables>) =>
  db.selectFrom('dns_claim').innerJoin('dns_zone', 'dns_zone.name', 'dns_claim.zone').select(zoneColumns)

/** Served by dns_claim_of_account or dns_claim_by_zone, and by dns_zone's unique name. */
const joinedZone = (db: Kysely<Tables>, p: ZoneKey) =>
  claimedZones(db)
    .where('dns_claim.account_id', '=', p.accountId)
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', 'verified')

/**
 * The same for SQLite, which a join takes three times as long. With the status as a parameter, SQLite would prepare the statement for each
 * value, because there is a partial index of this status.
 */
const nestedZone = (db: Kysely<Tables>, p: ZoneKey) =>
  db
    .selectFrom('dns_zone')
    .where('dns_zone.name', '=', (of) =>
      of
        .selectFrom('dns_claim')
        .where('dns_claim.account_id', '=', p.accountId)
        .where('dns_claim.zone', '=', p.zone)
        .where('dns_claim.status', '=', sql.lit('verified'))
        .select('dns_claim.zone'),
    )
    .select(zoneColumns)

const readZone = prepared((db, p: ZoneKey, dialect) => (dialect === 'postgres' ? joinedZone(db, p) : nestedZone(db, p)))

/**
 * On PostgreSQL the zone and its claim are locked until the transaction ends, in this order: changes of one zone run one
 * after another. holder-store.ts locks in the same order.
 */
const lockZone = prepared((db, p: ZoneKey, dialect) =>
  dialect === 'postgres' ? joinedZone(db, p).forUpdate(['dns_zone', 'dns_claim']) : nestedZone(db, p),
)

/** Served by dns_claim_of_account (account_id, zone), and by dns_zone's unique name. */
const verifiedAmong = prepared((db, p: { accountId: number; names: string }, dialect) =>
  claimedZones(db)
    .where('dns_claim.account_id', '=', p.accountId)
    .where(isInTexts('dns_claim.zone', p.names, dialect))
    .where('dns_claim.status', '=', 'verified')
    .select('dns_claim.zone'),
)

/** Served by dns_claim_verified (zone), a partial index that needs the literal status, and by dns_zone's unique name. */
const lockFree = prepared((db, p: { zones: string; accountIds: string }, dialect) =>
  claimedZones(db)
    .where('dns_claim.status', '=', sql.lit('verified'))
    .where(isInTexts('dns_claim.zone', p.zones, dialect))
    .where(isInNumbers('dns_claim.account_id', p.accountIds, dialect))
    .select(['dns_claim.account_id as accountId', 'dns_claim.zone'])
    .$if(dialect === 'postgres', (query) => query.forUpdate(['dns_zone', 'dns_claim']).skipLocked()),
)

/**
 * 403 for every zone that is not verified for the caller: of another account, pending or nonexistent (specification,
 * section 4.4, rule 2). All of them get the same body, so that it reveals nothing about other accounts.
 * @param zone the name in the path, normalised
 */
export const forbiddenZone = (zone: string) =>
  new ApiError('forbidden_zone', 'This zone is not verified for this account, or it does not exist.', { zone })

const required = (found: ZoneRow | undefined, { zone }: ZoneKey): ZoneRow => {
  if (found === undefined) throw forbiddenZone(zone)
  return found
}

/** For reads, and before work that must not begin for other accounts. Locks nothing. @throws ApiError `forbidden_zone` */
export const requireVerified = async (reader: Reader, key: ZoneKey): Promise<ZoneRow> =>
  required(await reader.one(readZone, key), key)

/**
 * For changes: the right holds until the transaction ends, if the reader is a transaction. Waits for other changes of the zone.
 * @throws ApiError `forbidden_zone`
 */
export const lockVerified = async (reader: Reader, key: ZoneKey): Promise<ZoneRow> =>
  required(await reader.one(lockZone, key), key)

/** The zones among names that are verified for an account. Locks nothing. */
export const verifiedZones = (
  reader: Reader,
  accountId: number,
  names: readonly string[],
): Promise<(ZoneRow & { readonly zone: string })[]> =>
  reader.all(verifiedAmong, { accountId, names: JSON.stringify(names) })

/**
 * For new records of several accounts in one transaction: one statement, which leaves out zones that another transaction has locked,
 * because they must not delay the others.
 * @returns by name, the zones that are verified for one of the accounts
 */
export async function lockFreeZones(reader: Reader, keys: readonly ZoneKey[]): Promise<Map<string, ZoneRow & ZoneKey>> {
  const listOf = (values: readonly unknown[]) => JSON.stringify([...new Set(values)])
  const zones = listOf(keys.map(({ zone }) => zone))
  const accountIds = listOf(keys.map(({ accountId }) => accountId))
  return new Map((await reader.all(lockFree, { zones, accountIds })).map((row) => [row.zone, row]))
}

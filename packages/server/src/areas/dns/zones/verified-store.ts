import { ApiError } from '@svc/contract/errors'
import type { Kysely } from 'kysely'
import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import type { Account } from '../../../shared/account.js'

/** Zones that are verified for an account: only their records can be read and changed. */

/** An account, and the name of one of its zones in canonical form. */
export interface ZoneKey {
  readonly accountId: number
  readonly zone: string
}

/** The columns of a zone that changes are planned with. */
export interface ZoneRow {
  readonly id: number
  readonly serial: number
  readonly last_record_id: number
  readonly content_bytes: number
}

/** Served by dns_claim_of_account or dns_claim_by_zone, and by dns_zone's unique name. */
const zoneRow = (db: Kysely<Tables>, p: ZoneKey) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('dns_zone', 'dns_zone.name', 'dns_claim.zone')
    .where('dns_claim.account_id', '=', p.accountId)
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', 'verified')
    .select(['dns_zone.id', 'dns_zone.serial', 'dns_zone.last_record_id', 'dns_zone.content_bytes'])

const verifiedZone = prepared(zoneRow)

/**
 * On PostgreSQL the zone and its claim are locked until the transaction ends, in this order: changes of one zone run one
 * after another. holder-store.ts locks in the same order.
 */
const lockedZone = prepared((db, p: ZoneKey, dialect) =>
  zoneRow(db, p).$if(dialect === 'postgres', (query) => query.forUpdate(['dns_zone', 'dns_claim'])),
)

const freeZone = prepared((db, p: ZoneKey, dialect) =>
  zoneRow(db, p).$if(dialect === 'postgres', (query) => query.forUpdate(['dns_zone', 'dns_claim']).skipLocked()),
)

/**
 * 403 for every zone that is not verified for the caller: of another account, pending or nonexistent (specification,
 * section 4.4, rule 2). All of them get the same body, so that it reveals nothing about other accounts.
 * @param zone the name in the path, normalised
 */
export const forbiddenZone = (zone: string) =>
  new ApiError('forbidden_zone', 'This zone is not verified for this account, or it does not exist.', { zone })

/** @throws ApiError `forbidden_zone` */
export async function requireVerified(reader: Reader, account: Account, zone: string) {
  const found = await reader.one(verifiedZone, { accountId: account.id, zone })
  if (found === undefined) throw forbiddenZone(zone)
  return found
}

/** Locks a zone until the transaction ends, if the reader is a transaction. @throws ApiError `forbidden_zone` */
export async function lockVerified(reader: Reader, key: ZoneKey): Promise<ZoneRow> {
  const zone = await reader.one(lockedZone, key)
  if (zone === undefined) throw forbiddenZone(key.zone)
  return zone
}

/** The same without waiting for another transaction. @throws ApiError `forbidden_zone`, also if the zone is locked */
export async function lockFree(reader: Reader, key: ZoneKey): Promise<ZoneRow> {
  const zone = await reader.one(freeZone, key)
  if (zone === undefined) throw forbiddenZone(key.zone)
  return zone
}

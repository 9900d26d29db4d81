import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { forbiddenZone } from './forbidden-zone.js'

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

/** Served by dns_claim_of_account and dns_zone's unique name. */
const verifiedZone = prepared((db, p: ZoneKey) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('dns_zone', 'dns_zone.name', 'dns_claim.zone')
    .where('dns_claim.account_id', '=', p.accountId)
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', 'verified')
    .select(['dns_zone.id', 'dns_zone.version', 'dns_zone.content_bytes', 'dns_zone.last_record_id']),
)

/**
 * On PostgreSQL the zone and its claim are locked until the transaction ends, in this order: changes of one zone run one
 * after another. holder-store.ts locks in the same order.
 */
const lockedZone = prepared((db, p: ZoneKey, dialect) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('dns_zone', 'dns_zone.name', 'dns_claim.zone')
    .where('dns_claim.account_id', '=', p.accountId)
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', 'verified')
    .select(['dns_zone.id', 'dns_zone.serial', 'dns_zone.last_record_id', 'dns_zone.content_bytes'])
    .$if(dialect === 'postgres', (query) => query.forUpdate(['dns_zone', 'dns_claim'])),
)

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

import { isDeepStrictEqual } from 'node:util'
import type { RecordType } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { recordTypes, recordValueMaxLength, type TsigAlgorithm } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { count, id, integer, nullable, oneOf, text, time, timeText } from '../../db/columns.js'
import type { Dialect } from '../../db/dialect.js'
import { isIn } from '../../db/json-list.js'
import { ofAccount, ofInstallation, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import type { SealedColumns } from '../../db/vault-tables.js'
import type { ZoneOutcome } from '../../ports/dns/query-counts.js'
import type { Actor } from '../../shared/actor.js'
import { removeZonesPart } from './claims/account-removal-store.js'
import { dnsKeyIdentity } from './keys/key.js'
import { checkRecord } from './records/check.js'
import type { HolderAction } from './zones/journal-store.js'
import { zoneName } from './zones/name.js'

declare module '../../db/tables.js' {
  interface Tables {
    dns_reserved: DnsReservedTable
    dns_claim: DnsClaimTable
    dns_zone: DnsZoneTable
    dns_record: DnsRecordTable
    dns_former_holder: DnsFormerHolderTable
    dns_challenge: DnsChallengeTable
    dns_process: DnsProcessTable
    dns_process_zone: DnsProcessZoneTable
    dns_query_day: DnsQueryDayTable
    dns_query_hour: DnsQueryHourTable
    dns_published: DnsPublishedTable
    zone_change: ZoneChangeTable
    dns_key: DnsKeyTable
    dns_secondary: DnsSecondaryTable
  }
}

/** Zones that the operator has reserved: they are claimed with a TXT challenge only, or assigned by the operator. */
interface DnsReservedTable {
  /** Absolute, in lower case, without a trailing dot. */
  zone: string
  created_at: number
}

/** An account's claim to own a zone. At most one claim on a zone is verified. */
interface DnsClaimTable {
  id: Generated<number>
  account_id: number
  zone: string
  status: 'verified' | 'pending'
  method: 'auto' | 'txt' | 'ns'
  /** The TXT value that the account must publish, if the method is `txt`. */
  txt_value: string | null
  created_at: number
}

/** A zone that an account has verified. It outlives its claims: a released zone is still served. */
interface DnsZoneTable {
  id: Generated<number>
  /** Absolute, in lower case, without a trailing dot; unique. */
  name: string
  /** The SOA serial, 32 bits. */
  serial: number
  /** Tells other processes which zones have changed: a count over all zones, or on PostgreSQL the id of a transaction (`version-store.ts`). */
  version: number
  /** The last record id that was assigned. Ids count per zone, over the records of all accounts. */
  last_record_id: number
  /**
   * The account whose records are served, also after it has released the zone. Null for a zone that was released before
   * this column existed (migration 0003): then the records without an account are served.
   */
  holder_id: number | null
  /** Total size of the served records: the bytes of value and host in UTF-8. */
  content_bytes: number
  /** Bytes of all changes that were ever written into its history; only grows. */
  history_end: Generated<number>
  /** When the operator deleted it. A deleted zone has no holder, and is not served until an account is verified for it. */
  deleted_at: number | null
}

/** Records of the current holder and of former holders. Only those of dns_zone.holder_id are served. */
interface DnsRecordTable {
  zone_id: number
  id: number
  /** The account that created it; null if unknown. */
  account_id: number | null
  type: RecordType
  /** Relative to the zone, in lower case; `@` for the apex. */
  host: string
  /** In canonical form. */
  value: string
  ttl: number
  /** Null for all types except MX and SRV. */
  priority: number | null
  /** RFC 3339 in UTC with milliseconds. */
  created_at: string
  updated_at: string
}

/** Zones that an account held, or imported records for, and in which it may have records that are not served. */
interface DnsFormerHolderTable {
  account_id: number
  zone_id: number
}

/** TXT values that prove names to a CA. They are served beside the records of the zone, whose ids and limits they do not count in. */
interface DnsChallengeTable {
  zone_id: number
  /** Relative to the zone, in lower case. */
  host: string
  value: string
  /** Milliseconds since the epoch; 0 once the value is served no more. */
  expires_at: number
}

/** A running server with the embedded nameserver. If it is killed, its row stays. */
interface DnsProcessTable {
  /** Random. */
  id: string
}

/** A zone that a server has loaded while it had values of challenges. */
interface DnsProcessZoneTable {
  process_id: string
  zone_id: number
  /** The last serial that it has loaded. */
  serial: number
}

/** What the nameserver has answered for a zone in one day, while the account held it. */
interface DnsQueryDayTable extends Record<ZoneOutcome, number> {
  zone_id: number
  account_id: number
  /** Number of the day since 1970-01-01, in UTC. */
  day: number
}

/** The same for one hour. */
interface DnsQueryHourTable extends DnsQueryDayTable {
  /** 0 to 23, in UTC. */
  hour: number
}

/** What secondaries have been given last: other contents need another serial. */
interface DnsPublishedTable {
  /** Of a catalog, or of the SOA and NS records of all zones. */
  name: string
  /** Of the contents. */
  digest: string
  serial: number
}

/** The history of zones: one row for each change, seen by the account that held the zone then. */
interface ZoneChangeTable {
  zone_id: number
  account_id: number
  /** The serial that the change has set. */
  serial: number
  /** `dns_zone.history_end` after the change. */
  history_end: number
  /** Milliseconds since the epoch. */
  at: number
  /** Empty for a change of records: a row without nulls takes 8 bytes less on PostgreSQL. */
  action: HolderAction | ''
  actor_kind: Actor['kind']
  /** The id of the token; null for other actors. The token may have been revoked. */
  actor_id: number | null
  actor_name: string
  /** Of `packRequestId`; null for a change without a request. */
  request_id: string | null
  /** What `changeSteps` in zones/change-text.ts returns. */
  removed: string
  added: string
}

/** A key of the operator that signs DNS messages. */
interface DnsKeyTable extends Omit<SealedColumns, 'id'> {
  id: Generated<number>
  /** In lower case, without the last dot; unique. */
  name: string
  algorithm: TsigAlgorithm
  created_at: number
}

/** A nameserver that an account has named for copies of its zones. */
interface DnsSecondaryTable {
  id: Generated<number>
  account_id: number
  /** The key, which may have been revoked. */
  token_id: number
  /** In canonical form. */
  address: string
  port: number
  created_at: number
  /** When a request that was signed with the key came from the address; null before. */
  proven_at: number | null
  /** When the last NOTIFY ended, its zone, and its answer. All are null together. */
  told_at: number | null
  told_zone: string | null
  answer: string | null
}

const name = text(253)

function requireCanonical(field: string, zone: string): void {
  if (zoneName(zone) !== zone) throw badRequest(field, 'must be in lower case, without a dot at its end')
}

/** A number of a record in its zone: far below the largest exact integer, because an import adds the numbers of two zones. */
const recordId = integer(1, 1_000_000_000_000)

const dns_claim: RowRule<'dns_claim'> = {
  columns: {
    id,
    account_id: id,
    zone: name,
    status: oneOf(['verified', 'pending']),
    method: oneOf(['auto', 'txt', 'ns']),
    txt_value: nullable(text(64, /^[\w-]+$/)),
    created_at: time,
  },
  request: ({ zone }) => ({ operation: 'dns.zoneClaim', body: { zone } }),
  check: ({ zone }) => requireCanonical('zone', zone),
}

const dns_zone: RowRule<'dns_zone'> = {
  columns: {
    id,
    name,
    serial: integer(0, 0xffff_ffff),
    version: integer(0, Number.MAX_SAFE_INTEGER),
    last_record_id: integer(0, 1_000_000_000_000),
    holder_id: nullable(id),
    content_bytes: count,
    history_end: count,
    deleted_at: nullable(time),
  },
  check: (row) => requireCanonical('name', row.name),
}

const dns_record: RowRule<'dns_record'> = {
  columns: {
    zone_id: id,
    id: recordId,
    account_id: nullable(id),
    type: oneOf(recordTypes),
    host: name,
    value: text(recordValueMaxLength),
    ttl: count,
    priority: nullable(count),
    created_at: timeText,
    updated_at: timeText,
  },
  check: ({ zone_id: zoneId, type, host, value, ttl, priority }, { zoneOf }) => {
    const zone = zoneOf(zoneId)
    if (zone === undefined) throw badRequest('zone_id', 'must be the id of a zone')
    const given = { type, host, value, ttl, priority }
    const checked = checkRecord(zone, { type, host, value, ttl, ...(priority !== null && { priority }) })
    if (!isDeepStrictEqual(checked, given)) throw badRequest('value', 'and the other fields must be in canonical form')
  },
}

/** The zones that the account holds, and those in which it may have records that are not served. */
const zoneIds = (accountId: number) =>
  sql`(select id from dns_zone where holder_id = ${accountId} union
    select claimed.id from dns_claim join dns_zone as claimed on claimed.name = dns_claim.zone
      where dns_claim.account_id = ${accountId}
    union select zone_id from dns_former_holder where account_id = ${accountId})`

/** Of a table with counts of queries. */
const queryCounts = (table: 'dns_query_day' | 'dns_query_hour') =>
  ({
    ownership: {
      by: 'condition',
      rows: (accountId: number, dialect: Dialect) =>
        sql<boolean>`${sql.ref(`${table}.account_id`)} = ${accountId}
          and ${isIn(`${table}.zone_id`, zoneIds(accountId), dialect)}`,
    },
    references: { zone_id: 'dns_zone', account_id: 'account' },
    leftOut: 'counts what the nameserver of this installation has answered',
  }) as const

export const dnsTables = {
  tables: {
    dns_reserved: ofInstallation('chosen by the operator'),
    dns_claim: { ...ofAccount, hasGeneratedId: true, rule: dns_claim },
    dns_zone: {
      ownership: { by: 'account', column: 'holder_id' },
      references: { holder_id: 'account' },
      hasGeneratedId: true,
      exported: (accountId, dialect) => isIn('dns_zone.id', zoneIds(accountId), dialect),
      rule: dns_zone,
    },
    dns_record: {
      ownership: {
        by: 'condition',
        rows: (accountId, dialect) =>
          sql`dns_record.account_id = ${accountId} and ${isIn('dns_record.zone_id', zoneIds(accountId), dialect)}`,
      },
      references: { zone_id: 'dns_zone', account_id: 'account' },
      rule: dns_record,
    },
    dns_former_holder: {
      ...ofAccount,
      references: { account_id: 'account', zone_id: 'dns_zone' },
      leftOut: 'an import adds the zones in which records wait',
    },
    dns_challenge: {
      ...ofInstallation('of orders of certificates that are under way'),
      references: { zone_id: 'dns_zone' },
    },
    dns_process: ofInstallation('servers that run now'),
    dns_key: {
      ...ofInstallation('chosen by the operator'),
      hasGeneratedId: true,
      sealed: (_, row) => dnsKeyIdentity(row.name),
    },
    dns_secondary: {
      ...ofAccount,
      references: { account_id: 'account', token_id: 'token' },
      mayDangle: ['token_id'],
      hasGeneratedId: true,
      leftOut: 'the names of its keys have the id of this installation: each secondary is configured again',
    },
    dns_process_zone: {
      ...ofInstallation('what servers that run now have loaded'),
      references: { process_id: 'dns_process', zone_id: 'dns_zone' },
    },
    dns_query_day: queryCounts('dns_query_day'),
    dns_query_hour: queryCounts('dns_query_hour'),
    dns_published: ofInstallation('what its secondaries have been given last'),
    zone_change: {
      ownership: {
        by: 'condition',
        rows: (accountId, dialect) =>
          sql`zone_change.account_id = ${accountId} and ${isIn('zone_change.zone_id', zoneIds(accountId), dialect)}`,
      },
      references: { zone_id: 'dns_zone', account_id: 'account', actor_id: 'token' },
      mayDangle: ['actor_id'],
      leftOut: 'the history names tokens, requests and serials of this installation: it begins again in the next one',
    },
  },
  removePart: removeZonesPart,
} satisfies AreaTables

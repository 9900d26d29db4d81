import type { RecordType } from '@svc/contract'
import type { Generated } from 'kysely'

/**
 * One type per table. Times are milliseconds since the epoch, digests are bytes, lists are JSON text: what SQLite and
 * PostgreSQL both keep and give back alike.
 */
export interface Tables {
  account: AccountTable
  token: TokenTable
  session: SessionTable
  sign_in_failure: SignInFailureTable
  exchange_rates: ExchangeRatesTable
  dns_zone: DnsZoneTable
  dns_claim: DnsClaimTable
  dns_record: DnsRecordTable
  installation: InstallationTable
  dns_reserved: DnsReservedTable
}

/** Whoever signs in and owns things. */
export interface AccountTable {
  id: Generated<number>
  /** Lower case; unique. */
  email: string
  /** Empty when none is set. */
  nickname: string
  /** argon2id in PHC string form. */
  password_hash: string
  created_at: number
}

/** A Bearer token: only the SHA-256 of its value is kept. */
export interface TokenTable {
  id: Generated<number>
  account_id: number
  name: string
  /** The first characters of the value, to tell tokens apart. */
  prefix: string
  hash: Uint8Array
  /** Scopes joined by spaces (RFC 6749, 3.3). */
  scopes: string
  created_at: number
  last_used_at: number | null
}

/** A browser session: only the SHA-256 of its cookie is kept. */
export interface SessionTable {
  id: Generated<number>
  account_id: number
  hash: Uint8Array
  ip: string
  user_agent: string
  created_at: number
  last_seen_at: number
}

/** Failed sign-ins in a row, by email and network, whether or not the email has an account. */
export interface SignInFailureTable {
  /** SHA-256 of what is counted: nobody's address book, and of one size. */
  key: Uint8Array
  failures: number
  /** No attempt is looked at before this time. */
  blocked_until: number
}

/** The last good exchange rates; one row. */
export interface ExchangeRatesTable {
  id: number
  fetched_at: number
  /** JSON: code to how much of it one US dollar buys. */
  rates: string
}

/** A zone that has had a verified owner. It outlives its claims: a released zone keeps being served. */
export interface DnsZoneTable {
  id: Generated<number>
  /** Absolute, in lower case, without a trailing dot; unique. */
  name: string
  /** The SOA serial, 32 bits. */
  serial: number
  /** Grows over all zones with every change: other processes find what has changed since they last looked. */
  version: number
  /** Record ids are counted per zone, over the records of all accounts. */
  last_record_id: number
  /**
   * The account whose records are served. It stays when that account releases the zone. Null for a zone that was
   * released before holders were kept: the records that belong to no account are served then.
   */
  holder_id: number | null
  /** Of the records that are served: the bytes of value and host in UTF-8. */
  content_bytes: number
}

/** Who says a zone is theirs. At most one claim on a zone is verified. */
export interface DnsClaimTable {
  id: Generated<number>
  account_id: number
  zone: string
  status: 'verified' | 'pending'
  method: 'auto' | 'txt' | 'ns'
  /** What to publish, where the method is txt. */
  txt_value: string | null
  created_at: number
}

/** Records of former holders stay, unseen: only those of dns_zone.holder_id are served. */
export interface DnsRecordTable {
  zone_id: number
  id: number
  /** The account that made it; null where that is not known. */
  account_id: number | null
  type: RecordType
  /** Relative to the zone, in lower case; `@` for the apex. */
  host: string
  /** In canonical form. */
  value: string
  ttl: number
  /** Null but for MX and SRV. */
  priority: number | null
  /** RFC 3339 in UTC with milliseconds. */
  created_at: string
  updated_at: string
}

/** Zones that the operator keeps: they are claimed with a TXT challenge only, or assigned. */
export interface DnsReservedTable {
  /** Absolute, in lower case, without a trailing dot. */
  zone: string
  created_at: number
}

/** Which installation of svc this is; one row. */
export interface InstallationTable {
  /** 16 random hexadecimal digits. */
  id: string
}

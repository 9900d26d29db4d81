import type { RecordType } from '@svc/contract'
import type { Generated } from 'kysely'
import type { DeploymentTables } from './deployment-tables.js'
import type { DomainTables } from './domain-tables.js'
import type { FileTables } from './file-tables.js'
import type { PackageTables } from './package-tables.js'
import type { RegistrationTables } from './registration-tables.js'
import type { SiteTables } from './site-tables.js'
import type { SmsTables } from './sms-tables.js'
import type { TrafficTables } from './traffic-tables.js'
import type { VaultTables } from './vault-tables.js'
import type { WebhookTables } from './webhook-tables.js'

/**
 * The column types of all tables. SQLite and PostgreSQL return equal values for them: unless a column says otherwise,
 * times are milliseconds since the Unix epoch, digests are bytes, and lists are JSON text.
 */
export interface Tables
  extends
    DeploymentTables,
    DomainTables,
    FileTables,
    PackageTables,
    RegistrationTables,
    SiteTables,
    SmsTables,
    TrafficTables,
    VaultTables,
    WebhookTables {
  account: AccountTable
  token: TokenTable
  session: SessionTable
  sign_in_failure: SignInFailureTable
  exchange_rates: ExchangeRatesTable
  dns_zone: DnsZoneTable
  dns_claim: DnsClaimTable
  dns_record: DnsRecordTable
  dns_former_holder: DnsFormerHolderTable
  installation: InstallationTable
  dns_reserved: DnsReservedTable
  blob_writer: BlobWriterTable
  blob_writer_ended: BlobWriterEndedTable
  blob: BlobTable
  change_clock: ChangeClockTable
  job_run: JobRunTable
}

/** An account: it signs in, and owns tokens, sessions and claims. */
export interface AccountTable {
  id: Generated<number>
  /** Lower case; unique. */
  email: string
  /** Empty if not set. */
  nickname: string
  /** argon2id in PHC string form. */
  password_hash: string
  created_at: number
}

/** A Bearer token. Only the SHA-256 of its value is stored. */
export interface TokenTable {
  id: Generated<number>
  account_id: number
  /** Unique in the account. */
  name: string
  /** The first characters of the value, to tell tokens apart. */
  prefix: string
  hash: Uint8Array
  /** Scopes joined by spaces (RFC 6749, 3.3). */
  scopes: string
  created_at: number
  last_used_at: number | null
}

/** A browser session. Only the SHA-256 of its cookie is stored. */
export interface SessionTable {
  id: Generated<number>
  account_id: number
  hash: Uint8Array
  ip: string
  user_agent: string
  created_at: number
  last_seen_at: number
}

/** Consecutive failed sign-ins by email and network, also for an email without an account. */
export interface SignInFailureTable {
  /** SHA-256 of the email, the network, or both: the table discloses no addresses, and its keys have one size. */
  key: Uint8Array
  /** SHA-256 of the email that the counter delays; null for a counter of a network alone. */
  email: Uint8Array | null
  failures: number
  /** For the time before, failures have been forgiven. */
  forgiven_until: number
  /** Attempts before this time are rejected without a check of the password. */
  blocked_until: number
}

/** The last good exchange rates; one row. */
export interface ExchangeRatesTable {
  id: number
  fetched_at: number
  /** JSON object: units of each currency per US dollar, by currency code. */
  rates: string
}

/** A zone that an account has verified. It outlives its claims: a released zone is still served. */
export interface DnsZoneTable {
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
  /** When the operator deleted it. A deleted zone has no holder, and is not served until an account is verified for it. */
  deleted_at: number | null
}

/** An account's claim to own a zone. At most one claim on a zone is verified. */
export interface DnsClaimTable {
  id: Generated<number>
  account_id: number
  zone: string
  status: 'verified' | 'pending'
  method: 'auto' | 'txt' | 'ns'
  /** The TXT value that the account must publish, if the method is `txt`. */
  txt_value: string | null
  created_at: number
}

/** Records of the current holder and of former holders. Only those of dns_zone.holder_id are served. */
export interface DnsRecordTable {
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
export interface DnsFormerHolderTable {
  account_id: number
  zone_id: number
}

/** Zones that the operator has reserved: they are claimed with a TXT challenge only, or assigned by the operator. */
export interface DnsReservedTable {
  /** Absolute, in lower case, without a trailing dot. */
  zone: string
  created_at: number
}

/** The id of this installation of svc; one row. */
export interface InstallationTable {
  /** 16 random hexadecimal digits. */
  id: string
  /** The URL, without user and password, of the database to which `svc database move` has moved this one. */
  moved_to: string | null
}

/** A process that stores objects. Its id is part of their keys, so that the sweep leaves objects of living processes alone. */
export interface BlobWriterTable {
  /** Random, so that a restored database or a copy never gives out the id of another one. */
  id: number
  /** The process renews its row. After this time another process may delete it. */
  expires_at: number
  /** How often the process has renewed its row. */
  renewals: number
}

/** A process that stores no more objects: those without a row are swept. */
export interface BlobWriterEndedTable {
  id: number
}

/** An object in the blob store to which a row of an area refers. Objects without a row are swept. */
export interface BlobTable {
  key: string
  /** In bytes. */
  size: number
}

/** How many changes of one kind have been committed. */
export interface ChangeClockTable {
  name: string
  value: number
}

/** The last run of a job. */
export interface JobRunTable {
  /** That of the job. */
  name: string
  ended_at: number
}

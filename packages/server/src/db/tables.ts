import type { RegistrationTables } from './registration-tables.js'
import type { VaultTables } from './vault-tables.js'

/**
 * The column types of all tables. SQLite and PostgreSQL return equal values for them: unless a column says otherwise,
 * times are milliseconds since the Unix epoch, digests are bytes, and lists are JSON text.
 */
export interface Tables extends RegistrationTables, VaultTables {
  exchange_rates: ExchangeRatesTable
  installation: InstallationTable
  blob_writer: BlobWriterTable
  blob_writer_ended: BlobWriterEndedTable
  blob: BlobTable
  change_clock: ChangeClockTable
  job_run: JobRunTable
}

/** The last good exchange rates; one row. */
export interface ExchangeRatesTable {
  id: number
  fetched_at: number
  /** JSON object: units of each currency per US dollar, by currency code. */
  rates: string
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

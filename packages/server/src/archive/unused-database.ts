import { describeDatabase } from '../config/database.js'
import { openSnapshot, type DatabaseConfig } from '../db/connect.js'
import { columnOf, type Snapshot } from '../db/table-shape.js'
import { OperatorError } from '../shared/operator-error.js'
import { existsSync, statSync } from 'node:fs'

/**
 * Tables that a server without accounts fills: their rows may be lost. Certificates are ordered anew. The values of dns_challenge belong
 * to zones of accounts.
 */
const ownTables: ReadonlySet<string> = new Set([
  'acme_account',
  'acme_proof',
  'blob_writer',
  'blob_writer_ended',
  'certificate',
  'change_clock',
  'dns_process',
  'dns_published',
  'exchange_rates',
  'installation',
  'job_run',
  'master_key',
  'operator_event',
  'rdap_bootstrap',
  'registration',
  'setup_code',
  'sign_in_failure',
])

/**
 * Makes sure that a database may be filled: it is missing or empty, a server has only started with it, or an earlier load did not end.
 * @throws OperatorError
 */
export async function requireUnused(config: DatabaseConfig): Promise<void> {
  if (config.kind === 'sqlite' && (!existsSync(config.file) || statSync(config.file).size === 0)) return
  await using snapshot = await openSnapshot(config)
  const [foreign] = snapshot.migrations.length === 0 ? snapshot.tables : []
  if (foreign !== undefined)
    throw new OperatorError(
      `The database ${describeDatabase(config)} has the table ${foreign.name} of another program: name an empty database.`,
    )
  const rows = (await isUnfinished(snapshot)) ? undefined : await tableWithRows(snapshot)
  if (rows !== undefined)
    throw new OperatorError(
      `The database ${describeDatabase(config)} is in use: its table ${rows} has rows. Name an empty database, or move this one away.`,
    )
}

/** Whether a load did not end. The first versions of svc had no table `installation`. */
const isUnfinished = async (snapshot: Snapshot): Promise<boolean> =>
  snapshot.tables.some(({ name }) => name === 'installation') && (await installationOf(snapshot)) === undefined

/** The id of the installation; undefined if it has none, because a load did not end. */
export const installationOf = (snapshot: Snapshot): Promise<string | undefined> =>
  firstText(snapshot, 'installation', 'id')

/** The URL of the database to which a database is moved; undefined if it is not. */
export const movedTo = (snapshot: Snapshot): Promise<string | undefined> =>
  firstText(snapshot, 'installation', 'moved_to')

/** A text in the first row of a table; undefined for null, and without such a row, column or table. */
export async function firstText(snapshot: Snapshot, name: string, column: string): Promise<string | undefined> {
  const table = snapshot.tables.find((one) => one.name === name)
  if (table !== undefined)
    for await (const [row] of snapshot.rows(table))
      return (row?.[columnOf(table, column)] ?? undefined) as string | undefined
  return undefined
}

async function tableWithRows(snapshot: Snapshot): Promise<string | undefined> {
  for (const table of snapshot.tables)
    if (!ownTables.has(table.name)) for await (const _ of snapshot.rows(table)) return table.name
  return undefined
}

import { open } from 'node:fs/promises'
import { describeDatabase, type Config } from '../../config/config.js'
import { inspectDatabase } from '../../db/connect.js'
import { schemaStateOf, type InspectedDatabase, type PostgresServer, type SchemaState } from '../../db/inspected.js'
import { requireUnmoved } from '../../db/installation-store.js'
import { OperatorError } from '../../shared/operator-error.js'
import { explainDatabaseFailure } from '../../serve/database-failure.js'
import { codeOf } from '../../shared/private-file.js'
import { orLate, type Check } from './check.js'
import type { Report } from './finding.js'

/** A disk or a server that hangs must not stop the other checks. */
const openMs = 7_000

/** The check of a large file takes longer; its result is then unknown. */
const integrityMs = 12_000

/** The oldest PostgreSQL that svc supports. */
const oldestPostgres = 130_000

/** Free connections that one more server needs (docs/operating.md, PostgreSQL). */
const connectionsOfServer = 28

/** The outcome of opening the database. */
export type Opened =
  | { readonly kind: 'open'; readonly database: InspectedDatabase; readonly schema: SchemaState }
  | { readonly kind: 'failed'; readonly message: string }

/** Opens the database for reading. Never throws. */
export async function openForDoctor(config: Config['database']): Promise<Opened> {
  const opening = openOrExplain(config)
  const opened = await orLate(opening, openMs)
  if (opened !== 'late') return opened
  void opening.then((tooLate) => (tooLate.kind === 'open' ? tooLate.database.close() : undefined))
  return failed(`The database ${describeDatabase(config)} does not answer within ${String(openMs / 1000)} seconds.`)
}

const failed = (message: string): Opened => ({ kind: 'failed', message })

async function openOrExplain(config: Config['database']): Promise<Opened> {
  const where = describeDatabase(config)
  try {
    if (config.kind === 'sqlite') await readStart(config.file)
    const database = await inspectDatabase(config, () => undefined)
    const schema = schemaStateOf(await database.migrations())
    if (schema === 'current')
      await requireUnmoved(database).catch(async (error: unknown) => {
        await database.close()
        throw error
      })
    return { kind: 'open', database, schema }
  } catch (error) {
    const code = config.kind === 'sqlite' ? codeOf(error) : undefined
    if (code === 'ENOENT')
      return failed(
        `There is no database ${where}: name the server's with SVC_DATA or SVC_DATABASE, or start the server, which creates it.`,
      )
    if (code === 'EACCES' || code === 'EPERM')
      return failed(
        `The database ${where} cannot be read by this user: run svc doctor as the user of the server, and check the owner of the file.`,
      )
    const explained = explainDatabaseFailure(error, config)
    const reason = explained instanceof Error ? explained.message : String(explained)
    return failed(explained instanceof OperatorError ? reason : `The database ${where} cannot be opened: ${reason}`)
  }
}

/** SQLite reads in this thread, which a disk that hangs would block. */
async function readStart(file: string): Promise<void> {
  await using handle = await open(file, 'r')
  await handle.read(Buffer.alloc(100), 0, 100, 0)
}

/** The database itself: its version and integrity, and the settings of the server. */
export const databaseCheck = (opening: Promise<Opened>): Check => ({
  section: 'database',
  deadlineMs: openMs + integrityMs + 2_000,
  async run({ config }, report, signal) {
    const opened = await opening
    if (opened.kind === 'failed') {
      report.error(opened.message)
      return
    }
    reportSchema(opened.schema, describeDatabase(config.database), report)
    await reportIntegrity(opened.database, report, signal)
    const server = await opened.database.server()
    if (server !== undefined) reportServer(server, report)
  },
})

export function reportSchema(schema: SchemaState, where: string, report: Report): void {
  if (schema === 'current') report.ok(`The database ${where} has the tables of this version of svc.`)
  else if (schema === 'newer')
    report.error(`The database ${where} belongs to a newer version of svc: use that version.`)
  else if (schema === 'older')
    report.error(
      `The database ${where} does not have the tables of this version of svc: start the server of this version, which migrates it, or use the version of svc that the server has.`,
    )
  else
    report.error(
      `The database ${where} has no tables of svc.`,
      'Start the server, which creates them, or correct SVC_DATABASE.',
    )
}

async function reportIntegrity(
  { checkIntegrity }: InspectedDatabase,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  if (checkIntegrity === undefined) return
  const integrity = await checkIntegrity(integrityMs, signal).catch((error: unknown) => error as Error)
  if (integrity instanceof Error) {
    report.warning(`The integrity of the database cannot be checked: ${integrity.message}.`)
    return
  }
  if (integrity === undefined) {
    report.warning(
      `The integrity of the database is not checked: that takes more than ${String(integrityMs / 1000)} seconds.`,
      'Run pragma quick_check with the sqlite3 program on a copy of the file.',
    )
    return
  }
  const { damages, orphans } = integrity
  if (damages.length > 0)
    report.error(
      'The database file is damaged.',
      'Stop the server, keep a copy of the file, and restore the last backup. Check the disk.',
      damages,
    )
  else if (orphans.length > 0)
    report.error(
      'Rows of the database refer to rows that do not exist: it was changed by hand, or is damaged.',
      'Restore the last backup.',
      orphans,
    )
  else report.ok('The pages, indexes and foreign keys of the database are intact.')
}

export function reportServer(server: PostgresServer, report: Report): void {
  const { versionNumber, version, encoding, connectionsMax, connections, isStandby } = server
  if (versionNumber < oldestPostgres)
    report.error(`PostgreSQL ${version} is too old: svc needs 13 or newer.`, 'Upgrade PostgreSQL.')
  else report.ok(`PostgreSQL ${version} answers.`)
  if (encoding !== 'UTF8')
    report.error(
      `The encoding of the database is ${encoding}, which cannot store all texts.`,
      'Create a database with the encoding UTF8, and move the data with pg_dump and pg_restore.',
    )
  if (isStandby)
    report.error('PostgreSQL is a standby, which accepts no writes.', 'Set SVC_DATABASE to the primary server.')
  const free = connectionsMax - connections
  if (free < connectionsOfServer)
    report.warning(
      `PostgreSQL has ${String(free)} of ${String(connectionsMax)} connections free; a server opens up to ${String(connectionsOfServer)}.`,
      'Increase max_connections, or check which clients hold connections.',
    )
  reportDurability(server, report)
}

function reportDurability({ fsync, fullPageWrites, synchronousCommit }: PostgresServer, report: Report): void {
  const off = Object.entries({ fsync, full_page_writes: fullPageWrites, synchronous_commit: synchronousCommit })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name)
  if (off.length > 0)
    report.warning(
      `PostgreSQL runs with ${off.map((name) => `${name}=off`).join(' and ')}: changes that svc has acknowledged can be lost in a crash.`,
      `Set ${off.join(' and ')} to on.`,
    )
}

import { asInOtherDatabase, isCopied } from '../archive/other-database.js'
import { TableSum } from '../archive/contents.js'
import { installationOf, movedTo, requireUnused } from '../archive/unused-database.js'
import { database, describeDatabase } from '../config/database.js'
import { InvalidSetting } from '../config/setting.js'
import type { BulkTarget } from '../db/bulk-target.js'
import { openBulkTarget, openSnapshot, setMovedTo, type DatabaseConfig } from '../db/connect.js'
import { NewerSchema, unknownIn } from '../db/migrate.js'
import type { Row, Snapshot, TableShape } from '../db/table-shape.js'
import { movedAway, unfinishedLoad } from '../db/unusable-database.js'
import { OperatorError } from '../shared/operator-error.js'
import { codeOf } from '../shared/private-file.js'
import { assertUsableFile, type PathRole } from '../shared/usable-path.js'
import { noteCommand } from './note-command.js'
import { explainingFailures, requireExisting, requireTables } from './with-database.js'

/** The progress of a move. */
export interface MoveProgress {
  readonly table: string
  /** In all tables so far, those of an interrupted move included. */
  readonly rows: number
}

export interface MoveOptions {
  readonly onProgress: (progress: MoveProgress) => void
  /** Ends the move. On PostgreSQL, the next one goes on after the rows that were copied. */
  readonly signal: AbortSignal
}

export interface MoveResult {
  readonly rows: number
  readonly tables: number
  /** How many of the rows an interrupted move had copied. */
  readonly resumedRows: number
}

const flag = '--to'

/** Parses the URL of `--to`. @throws OperatorError */
export function parseTarget(url: string): DatabaseConfig {
  try {
    return { ...database(url), flag }
  } catch (error) {
    throw error instanceof InvalidSetting ? new OperatorError(`${flag} ${error.message}.`, 2) : error
  }
}

/**
 * `svc database move`: copies all rows into another database, and compares them. From its beginning, no process opens the old one any
 * more; a move that fails gives it back. An interrupted move goes on after the last rows that it committed.
 * @throws OperatorError
 */
export async function moveDatabase(
  from: DatabaseConfig,
  to: DatabaseConfig,
  options: MoveOptions,
): Promise<MoveResult> {
  if (describeDatabase(from) === describeDatabase(to))
    throw new OperatorError(`${flag} names the database that svc uses: ${describeDatabase(to)}.`, 2)
  const before = await explainingFailures(from, () => requireMovable(from, to))
  await explainingFailures(from, () => setMovedTo(from, describeDatabase(to)))
  const result = await copyAll(from, to, options).catch(async (error: unknown) => {
    await explainingFailures(from, () => setMovedTo(from, before))
    throw error
  })
  await noteCommand(to, 'svc database move')
  return result
}

/** `svc database reopen`: uses a database again that was moved. @throws OperatorError if it was not */
export const reopenDatabase = (config: DatabaseConfig): Promise<void> =>
  explainingFailures(config, async () => {
    const url = await movedFrom(config)
    if (url === undefined)
      throw new OperatorError(`The database ${describeDatabase(config)} was not moved: there is nothing to do.`)
    await setMovedTo(config, null)
    await noteCommand(config, 'svc database reopen')
  })

/** The URL of the database to which this one is moved; undefined if it is not. */
async function movedFrom(config: DatabaseConfig): Promise<string | undefined> {
  await using snapshot = await openSource(config)
  return await movedTo(snapshot)
}

/**
 * Makes sure that no other process uses the database, and that it was not moved to another place.
 * @returns where an earlier move has moved it, or begun to; null if none has
 */
async function requireMovable(from: DatabaseConfig, to: DatabaseConfig): Promise<string | null> {
  const url = await movedFrom(from)
  if (url !== undefined && url !== describeDatabase(to)) throw movedAway(url)
  return url ?? null
}

async function copyAll(from: DatabaseConfig, to: DatabaseConfig, options: MoveOptions): Promise<MoveResult> {
  await using snapshot = await explainingFailures(from, () => openSource(from))
  return await explainingFailures(to, async () => {
    if (to.kind === 'sqlite') await assertUsableFile(to.file, newFile)
    await requireUnused(to)
    // The rows that an interrupted move has left may differ from the source, which has changed since.
    const result = (await copy(snapshot, to, true, options)) ?? (await copy(snapshot, to, false, options))
    if (result !== undefined) return result
    throw new OperatorError(
      'The rows in the new database differ from those in the old one: the new database is not usable.',
    )
  })
}

const newFile: PathRole = { name: 'The new database', otherwise: `name another place with ${flag}` }

async function openSource(config: DatabaseConfig): Promise<Snapshot> {
  await requireExisting(config)
  const snapshot = await openSnapshot(config, { isExclusive: true })
  try {
    requireTables(config, snapshot.migrations)
    // This version cannot create the tables that a newer one has added.
    const additions = unknownIn(snapshot.migrations)
    if (additions.length > 0) throw new NewerSchema(additions)
    return snapshot
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/** @returns undefined if the rows differ in the end */
async function copy(
  snapshot: Snapshot,
  to: DatabaseConfig,
  resumes: boolean,
  options: MoveOptions,
): Promise<MoveResult | undefined> {
  const installation = await installationOf(snapshot)
  if (installation === undefined) throw unfinishedLoad()
  const target = await openBulkTarget(to, { migrations: snapshot.migrations, resumes })
  try {
    const result = await new Move(snapshot, target, options).run()
    if (result === undefined) await target.abandon()
    else await target.complete(await snapshot.lastIds(), installation)
    return result
  } catch (error) {
    await target.abandon()
    throw error
  }
}

/** SQLSTATE of class 23. A SQLite target starts over in any case. */
const isConstraintViolation = /^23\w{3}$/

class Move {
  #rows = 0
  #resumedRows = 0

  constructor(
    private readonly snapshot: Snapshot,
    private readonly target: BulkTarget,
    private readonly options: MoveOptions,
  ) {}

  async run(): Promise<MoveResult | undefined> {
    const tables = this.snapshot.tables.filter(({ name }) => name !== 'installation' && isCopied(name))
    const sums = new Map<string, string>()
    for (const table of tables) {
      const sum = await this.#copyTable(table)
      if (sum === undefined) return undefined
      sums.set(table.name, sum)
    }
    for (const table of tables) if ((await this.#sumOf(table)) !== sums.get(table.name)) return undefined
    return { rows: this.#rows, tables: tables.length, resumedRows: this.#resumedRows }
  }

  /** @returns the checksum of the rows in the source; undefined if the rows of an interrupted move differ */
  async #copyTable(table: TableShape): Promise<string | undefined> {
    const columns = table.columns.map(({ name }) => name)
    const sum = new TableSum()
    const existing = await this.target.countRows(table.name)
    this.#resumedRows += existing
    for await (const batch of this.snapshot.rows(table)) {
      this.options.signal.throwIfAborted()
      const rows = asInOtherDatabase(table, batch)
      const missing = rows.slice(Math.max(existing - sum.rows, 0))
      if (missing.length > 0 && !(await this.#insert(table.name, columns, missing))) return undefined
      sum.add(rows)
      this.#rows += rows.length
      this.options.onProgress({ table: table.name, rows: this.#rows })
    }
    return sum.digest()
  }

  /** @returns false for rows that an interrupted move has inserted: the source has changed since */
  async #insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<boolean> {
    try {
      await this.target.insert(table, columns, rows)
      return true
    } catch (error) {
      if (this.#resumedRows > 0 && isConstraintViolation.test(String(codeOf(error)))) return false
      throw error
    }
  }

  /** The checksum of the rows in the target. Its columns may have another order. */
  async #sumOf(table: TableShape): Promise<string> {
    const sum = new TableSum()
    for await (const rows of this.target.rows(table)) {
      this.options.signal.throwIfAborted()
      sum.add(rows)
    }
    return sum.digest()
  }
}

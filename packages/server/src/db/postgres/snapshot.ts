import { sql, type RawBuilder } from 'kysely'
import { queryBuilders } from '../prepared.js'
import { rowsQuery } from '../rows-query.js'
import { inBatches, type Row, type Snapshot, type SnapshotOptions, type TableShape } from '../table-shape.js'
import { postgresLastIds, postgresMigrations, postgresTables } from './catalogue.js'
import { LongSession } from './long-session.js'
import { requireSessions } from './require-sessions.js'
import { requireUnshared } from './sessions.js'

/** How many bytes of rows one statement fetches at most, unless single rows are larger. */
const fetchBytes = 8 * 1024 * 1024
const fetchedRowsMax = 2_000
const fetchedRowsMin = 8

/** `openSnapshot` on a server. The writes of processes that start after an exclusive one wait until `close`. */
export async function openPostgresSnapshot(url: string, options: SnapshotOptions): Promise<Snapshot> {
  await requireSessions(url)
  return openView(url, options)
}

/** The same on a server that is known not to share sessions. */
export async function openView(url: string, { isExclusive = false }: SnapshotOptions): Promise<Snapshot> {
  const session = await LongSession.open(url)
  const snapshot = new PostgresSnapshot(session)
  try {
    if (isExclusive) await session.run(requireUnshared)
    await snapshot.begin(isExclusive)
    return snapshot
  } catch (error) {
    await session.close()
    throw error
  }
}

/** A repeatable-read transaction. */
class PostgresSnapshot implements Snapshot {
  readonly dialect = 'postgres'
  migrations: readonly string[] = []
  tables: readonly TableShape[] = []
  #cursors = 0

  constructor(private readonly session: LongSession) {}

  async begin(isExclusive: boolean): Promise<void> {
    await this.session.run(async (client) => {
      const locked = isExclusive ? await postgresTables(client) : []
      await client.query(`begin isolation level repeatable read, read ${isExclusive ? 'write' : 'only'}`)
      // The reader may write a slow archive between two statements.
      await client.query('set local idle_in_transaction_session_timeout = 0')
      // Before the first query, which decides which commits the transaction sees.
      if (locked.length > 0)
        await client.query(`lock table ${locked.map(({ name }) => `"${name}"`).join(', ')} in share mode`)
      this.migrations = await postgresMigrations(client)
      this.tables = await postgresTables(client)
    })
  }

  lastIds(): Promise<ReadonlyMap<string, number>> {
    return this.session.run(postgresLastIds)
  }

  rows(table: TableShape, where?: RawBuilder<unknown>): AsyncIterable<readonly Row[]> {
    return inBatches(this.#fetches(table, where))
  }

  async *#fetches(table: TableShape, where?: RawBuilder<unknown>): AsyncGenerator<readonly Row[]> {
    const count = await this.#rowsPerFetch(table, where)
    const cursor = `rows_${String(++this.#cursors)}`
    const { sql: text, parameters } = rowsQuery('postgres', table, where)
    await this.session.run((client) => client.query(`declare ${cursor} no scroll cursor for ${text}`, [...parameters]))
    const fetch = { text: `fetch forward ${String(count)} from ${cursor}`, rowMode: 'array' } as const
    for (let fetched = count; fetched === count;) {
      const { rows } = await this.session.run((client) => client.query<Row & unknown[]>(fetch))
      fetched = rows.length
      yield rows
    }
    await this.session.run((client) => client.query(`close ${cursor}`))
  }

  close(): Promise<void> {
    return this.session.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The driver keeps all rows of a statement in memory, so their number depends on the largest row. Its size is read without it. */
  async #rowsPerFetch(table: TableShape, where?: RawBuilder<unknown>): Promise<number> {
    const sizes = table.columns
      .filter(({ kind }) => kind !== 'number')
      .map(({ name }) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`)
    if (sizes.length === 0) return fetchedRowsMax
    const { sql: text, parameters } =
      sql`select max(${sql.join(sizes, sql` + `)}) as size from ${sql.table(table.name)} where ${where ?? sql`true`}`.compile(
        queryBuilders.postgres,
      )
    const { rows } = await this.session.run((client) => client.query<{ size: number | null }>(text, [...parameters]))
    const fitting = Math.floor(fetchBytes / Math.max(rows[0]?.size ?? 1, 1))
    return Math.min(Math.max(fitting, fetchedRowsMin), fetchedRowsMax)
  }
}

import { sql, type RawBuilder } from 'kysely'
import { queryBuilders } from '../prepared.js'
import { rowsQuery } from '../rows-query.js'
import { RowBatch, type Row, type Snapshot, type TableShape } from '../table-shape.js'
import { postgresLastIds, postgresMigrations, postgresTables } from './catalogue.js'
import type { Connection } from './client.js'
import { requireUnshared } from './sessions.js'
import { Connections, withDeadline, type CheckedOut } from './connections.js'

const connectMs = 10_000

/** Maximum duration of a statement: it may sort the keys of a large table. */
const statementMs = 600_000
/** The server's own timeout comes first. */
const answerMs = 5_000

/** How many bytes of rows one statement fetches at most, unless single rows are larger. */
const fetchBytes = 8 * 1024 * 1024
const fetchedRowsMax = 2_000
const fetchedRowsMin = 8

/**
 * Opens a repeatable-read transaction.
 * @param isExclusive whether other processes of svc are refused; the writes of those that start later wait until `close`
 * @throws the error of the driver; OperatorError if other processes are connected and must not
 */
export async function openPostgresSnapshot(url: string, { isExclusive = false }): Promise<Snapshot> {
  // A lost connection fails the next statement.
  const connections = new Connections({ url, max: 1, statementMs, onLost: () => undefined })
  try {
    const checkedOut = await connections.checkOut(performance.now() + connectMs)
    const snapshot = new PostgresSnapshot(connections, checkedOut)
    try {
      if (isExclusive) await requireUnshared(checkedOut.client)
      await snapshot.begin(isExclusive)
      return snapshot
    } catch (error) {
      checkedOut.client.cut(error as Error)
      checkedOut.release()
      throw error
    }
  } catch (error) {
    await connections.end()
    throw error
  }
}

class PostgresSnapshot implements Snapshot {
  readonly dialect = 'postgres'
  migrations: readonly string[] = []
  tables: readonly TableShape[] = []
  #cursors = 0

  constructor(
    private readonly connections: Connections,
    private readonly checkedOut: CheckedOut,
  ) {}

  async begin(isExclusive: boolean): Promise<void> {
    await this.#run(async (client) => {
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
    return this.#run(postgresLastIds)
  }

  async *rows(table: TableShape, where?: RawBuilder<unknown>): AsyncGenerator<readonly Row[]> {
    const count = await this.#rowsPerFetch(table, where)
    const cursor = `rows_${String(++this.#cursors)}`
    const { sql: text, parameters } = rowsQuery('postgres', table, where)
    await this.#run((client) => client.query(`declare ${cursor} no scroll cursor for ${text}`, [...parameters]))
    const fetch = { text: `fetch forward ${String(count)} from ${cursor}`, rowMode: 'array' } as const
    const batch = new RowBatch()
    for (let fetched = count; fetched === count;) {
      const { rows } = await this.#run((client) => client.query<Row & unknown[]>(fetch))
      fetched = rows.length
      for (const row of rows) {
        const full = batch.add(row)
        if (full !== undefined) yield full
      }
    }
    await this.#run((client) => client.query(`close ${cursor}`))
    const rest = batch.take()
    if (rest !== undefined) yield rest
  }

  async close(): Promise<void> {
    this.checkedOut.client.cut(new Error('The snapshot is closed.'))
    this.checkedOut.release()
    await this.connections.end()
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
    const { rows } = await this.#run((client) => client.query<{ size: number | null }>(text, [...parameters]))
    const fitting = Math.floor(fetchBytes / Math.max(rows[0]?.size ?? 1, 1))
    return Math.min(Math.max(fitting, fetchedRowsMin), fetchedRowsMax)
  }

  #run<R>(work: (client: Connection) => Promise<R>): Promise<R> {
    return withDeadline(this.checkedOut.client, performance.now() + statementMs + answerMs, work)
  }
}

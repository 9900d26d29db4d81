import { PostgresDialect } from 'kysely'
import { OperatorError } from '../../shared/operator-error.js'
import { codeOf } from '../../shared/private-file.js'
import type { BulkOptions, BulkTarget } from '../bulk-target.js'
import { migrate } from '../migrate.js'
import { migrationTables } from '../rows-query.js'
import type { ColumnShape, Row, TableShape } from '../table-shape.js'
import { postgresMigrations, postgresTables } from './catalogue.js'
import type { Connection } from './client.js'
import { openPool } from './connections.js'
import { LongSession, statementMs } from './long-session.js'
import { requireSessions } from './require-sessions.js'
import { requireUnshared } from './sessions.js'
import { openView } from './snapshot.js'

/** The key of the lock that a load holds: the bytes of "svcbulk". */
const lockKey = '32495402392579435'

/** @throws OperatorError if a server or another load uses the database */
export async function openPostgresBulkTarget(url: string, options: BulkOptions): Promise<BulkTarget> {
  await requireSessions(url)
  const target = new PostgresBulkTarget(url, await LongSession.open(url))
  try {
    await target.prepare(options)
    return target
  } catch (error) {
    await target.abandon()
    throw error
  }
}

class PostgresBulkTarget implements BulkTarget {
  tables: readonly TableShape[] = []

  constructor(
    private readonly url: string,
    private readonly session: LongSession,
  ) {}

  async prepare({ migrations, resumes }: BulkOptions): Promise<void> {
    await this.session.run(lockOut)
    const existing = await this.session.run(postgresTables)
    const canResume =
      resumes &&
      String(await this.session.run(postgresMigrations)) === String(migrations) &&
      (await this.#isUnfinished())
    if (!canResume) {
      const names = [...existing.map(({ name }) => name), ...migrationTables].map((name) => `"${name}"`)
      await this.session.run((client) => client.query(`drop table if exists ${names.join(', ')}`))
      await this.#migrate(migrations.at(-1))
      await this.session.run((client) => client.query('delete from installation'))
      // A server may have started before that row was deleted.
      await this.session.run(requireUnshared)
    }
    this.tables = await this.session.run(postgresTables)
  }

  async countRows(table: string): Promise<number> {
    const { rows } = await this.session.run((client) =>
      client.query<{ count: number }>(`select count(*) as count from "${table}"`),
    )
    return rows[0]?.count ?? 0
  }

  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const kinds = new Map(this.tables.find(({ name }) => name === table)?.columns.map(({ name, kind }) => [name, kind]))
    const names = columns.map((name) => `"${name}"`).join(', ')
    const arrays = columns.map((name, i) => `$${String(i + 1)}::${arrayTypes[kinds.get(name) ?? 'text']}`).join(', ')
    const values = columns.map((_, i) => rows.map((row) => row[i]))
    const text = `insert into "${table}" (${names}) overriding system value select * from unnest(${arrays})`
    await this.session
      .run((client) => client.query(text, values))
      .catch((error: unknown) => {
        throw codeOf(error) === invalidText ? explainNul(table, rows, error) : error
      })
  }

  async *rows(table: TableShape): AsyncGenerator<readonly Row[]> {
    const snapshot = await openView(this.url, {})
    try {
      yield* snapshot.rows(table)
    } finally {
      await snapshot.close()
    }
  }

  /** The row of `installation` is the last one. */
  async complete(lastIds: ReadonlyMap<string, number>, installationId: string): Promise<void> {
    for (const { name } of this.tables.filter(({ hasGeneratedId }) => hasGeneratedId)) {
      const last = lastIds.get(name) ?? 0
      await this.session.run((client) =>
        client.query(
          `select setval(pg_get_serial_sequence($1, 'id'), greatest($2::bigint, max(id))) from "${name}" having greatest($2::bigint, max(id)) > 0`,
          [name, last],
        ),
      )
    }
    await this.#migrate()
    await this.session.run((client) => client.query('analyze'))
    await this.session.run((client) => client.query('insert into installation (id) values ($1)', [installationId]))
    await this.abandon()
  }

  abandon(): Promise<void> {
    return this.session.close()
  }

  async #isUnfinished(): Promise<boolean> {
    const { rowCount } = await this.session.run((client) => client.query('select 1 from installation'))
    return rowCount === 0
  }

  #migrate(last?: string): Promise<void> {
    const pool = openPool({ url: this.url, max: 1, statementMs, onLost: () => undefined })
    return migrate('postgres', new PostgresDialect({ pool }), last)
  }
}

/** PostgreSQL's character_not_in_repertoire. */
const invalidText = '22021'

/** SQLite stores texts with the character NUL, PostgreSQL does not. */
function explainNul(table: string, rows: readonly Row[], cause: unknown): OperatorError {
  const row = rows.find((values) => values.some((value) => typeof value === 'string' && value.includes('\0')))
  return new OperatorError(
    `The row of the table ${table} that begins with ${JSON.stringify(row?.[0])} has a text with the character NUL, which PostgreSQL cannot store: change it in the old database.`,
    1,
    { cause },
  )
}

const arrayTypes: Record<ColumnShape['kind'], string> = { text: 'text[]', number: 'bigint[]', bytes: 'bytea[]' }

/** Takes the lock of loads for this session, and makes sure that no server uses the database. */
async function lockOut(client: Connection): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockKey])
  if (rows[0]?.locked !== true)
    throw new OperatorError('Another svc restore or svc database move fills this database: wait until it has ended.')
  await requireUnshared(client)
}

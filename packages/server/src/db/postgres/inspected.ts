import { postgresMigrations } from './catalogue.js'
import type { Connection } from './client.js'
import { Connections } from './connections.js'
import { requireSessions } from './require-sessions.js'
import { openView } from './snapshot.js'
import { toStatement } from './transaction.js'
import { noWrites, type InspectedDatabase, type PostgresServer } from '../inspected.js'

const deadlineMs = 10_000
/** The server's own timeout comes first: its error names the statement. */
const statementMs = 9_500
const connectionsMax = 4

const settings = `select current_setting('server_version_num')::int as "versionNumber",
  current_setting('server_version') as version,
  pg_encoding_to_char(encoding) as encoding,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "connectionsMax",
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('fsync') as fsync,
  current_setting('full_page_writes') as "fullPageWrites",
  current_setting('synchronous_commit') as "synchronousCommit",
  pg_is_in_recovery() as "isStandby",
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from pg_database where datname = current_database()`

/** Opens a PostgreSQL database for reading: the server rejects every statement that writes. */
export async function inspectPostgres(url: string, onLost: (error: Error) => void): Promise<InspectedDatabase> {
  await requireSessions(url)
  const connections = new Connections({ url, max: connectionsMax, statementMs, isReadOnly: true, onLost })
  const run = <R>(work: (client: Connection) => Promise<R>): Promise<R> =>
    connections.use(performance.now() + deadlineMs, work)
  const all: InspectedDatabase['all'] = async <P, R>(query: Parameters<typeof toStatement<P, R>>[0], params: P) =>
    (await run((client) => client.query(toStatement(query, params)))).rows as R[]
  const ping = async (): Promise<void> => {
    await run((client) => client.query('select 1'))
  }
  try {
    await ping()
  } catch (error) {
    await connections.end()
    throw error
  }
  return {
    ...noWrites,
    dialect: 'postgres',
    all,
    one: async (query, params) => (await all(query, params))[0],
    commitNumber: () => undefined,
    migrations: () => run(postgresMigrations),
    snapshot: () => openView(url, {}),
    server: () => run(async (client) => (await client.query<PostgresServer & object>(settings)).rows[0]),
    checkIntegrity: undefined,
    ping,
    close: () => connections.end(),
  }
}

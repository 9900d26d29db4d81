import pg from 'pg'
import { OperatorError } from '../../shared/operator-error.js'
import { Client } from './client.js'

/** Maximum time to connect, and for each statement. */
const answerMs = 5_000

/**
 * Makes sure that a connection has a session to itself: settings, locks and prepared statements belong to sessions. A pooler of transactions
 * gives the session of an idle connection to another one, and takes it away while that one has an open transaction.
 * @throws OperatorError if a pooler shares the sessions
 */
export async function requireSessions(url: string): Promise<void> {
  const options = { connectionString: url, application_name: 'svc' }
  const timeouts = { connectionTimeoutMillis: answerMs, query_timeout: answerMs }
  const [one, other] = [1, 2].map(() => new Client({ ...options, ...timeouts })) as [Client, Client]
  try {
    await one.connect()
    await other.connect()
    const first = await sessionOf(one)
    await begin(other)
    if ((await sessionOf(other)) === first || (await sessionOf(one)) !== first) throw sharedSessions()
  } finally {
    await Promise.allSettled([one.end(), other.end()])
  }
}

/** A pooler of statements refuses transactions. */
async function begin(client: Client): Promise<void> {
  try {
    await client.query('begin')
  } catch (error) {
    throw error instanceof pg.DatabaseError ? sharedSessions(error) : error
  }
}

async function sessionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

const sharedSessions = (cause?: Error): OperatorError =>
  new OperatorError(
    'The URL of the database names a pooler that pools transactions or statements, and svc needs sessions: set pool_mode = session for this database (PgBouncer), or name the PostgreSQL server itself.',
    1,
    { cause },
  )

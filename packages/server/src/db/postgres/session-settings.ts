import type pg from 'pg'

export interface SessionOptions {
  readonly url: string
  /** Maximum duration of a statement in milliseconds. */
  readonly statementMs: number
  /**
   * Whether the connections run only transactions (transaction.ts). Their statements are pipelined, and their sessions are read-only
   * outside `begin read write`, because PostgreSQL would commit each statement behind a failed `begin` alone.
   */
  readonly runsTransactions?: boolean
  /** Whether the sessions are read-only: the server rejects every write. */
  readonly isReadOnly?: boolean
}

/**
 * The server's TCP keepalive, in seconds (`tcp_user_timeout` in milliseconds). If svc's host disappears, the server ends
 * the session and releases its locks within a minute. The system's defaults take two hours.
 */
const serverKeepalive: Readonly<Record<string, number>> = {
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 60_000,
}

/**
 * Makes the server end the statements of a client that has closed its connection: a write that is over at its deadline must not be
 * committed later. In milliseconds. PostgreSQL 13, and servers on some other systems than Linux, refuse the setting.
 */
const checkConnection = 'set client_connection_check_interval = 200'

/**
 * Sets the values of a new session. With statements, because PgBouncer refuses most parameters of the startup packet, or ignores them.
 * @throws Error if the session is not read-only although it must be
 */
export async function setUp(client: Pick<pg.ClientBase, 'query'>, options: SessionOptions): Promise<void> {
  const { statementMs, runsTransactions = false, isReadOnly = false } = options
  const own = operatorOptions(options.url)
  const values = Object.entries({
    ...Object.fromEntries(Object.entries(serverKeepalive).filter(([name]) => !own.includes(name))),
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    ...((runsTransactions || isReadOnly) && { default_transaction_read_only: 'on' }),
  })
  await client.query(values.map(([name, value]) => `set ${name} = ${String(value)}`).join('; '))
  // Without the setting, such a write has an unknown outcome, like one whose connection is lost.
  if (runsTransactions) await client.query(checkConnection).catch(() => undefined)
  if (runsTransactions || isReadOnly) await requireReadOnly(client)
}

/** The options of the session that the operator has set, which svc does not override. */
const operatorOptions = (url: string): string =>
  `${new URL(url).searchParams.get('options') ?? ''} ${process.env['PGOPTIONS'] ?? ''}`

async function requireReadOnly(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ isOn: boolean }>(
    `select current_setting('default_transaction_read_only')::bool as "isOn"`,
  )
  if (rows[0]?.isOn !== true) throw new Error('PostgreSQL does not make the session read-only.')
}

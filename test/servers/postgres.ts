import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ensure } from './ensure.js'
import { freePort, startProcess } from './process.js'
import { unprivileged } from './unprivileged.js'

const run = promisify(execFile)

export interface Postgres {
  /** URL of the superuser for the database `postgres`. */
  readonly adminUrl: string
  readonly port: number
  /** Process id of the running server, the parent of its sessions. */
  pid(): number
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>
  /** Ends the server like an administrator (`fast`) or like a crash (`immediate`); its files stay. */
  shutDown(mode: 'fast' | 'immediate'): Promise<void>
  /** Starts the server again on the same port. */
  startAgain(): Promise<void>
  /** Ends the server and removes its files. */
  stop(): Promise<void>
}

/** The signals of PostgreSQL's shutdown modes: SIGINT ends the sessions, SIGQUIT ends without a checkpoint. */
const shutDownSignal = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/**
 * Starts a separate server in a temporary folder. It flushes nothing to disk: fast, but not durable.
 * @param keepsCommits whether commits survive an immediate shutdown (but not a power cut)
 * @param isDurable whether commits survive a power cut, as with the defaults of PostgreSQL
 */
export async function startPostgres({ keepsCommits = false, isDurable = false } = {}): Promise<Postgres> {
  const bin = dirname(ensure('postgres'))
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const user = unprivileged('postgres', folder)
  const options = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 300,
    fsync: isDurable ? 'on' : 'off',
    synchronous_commit: keepsCommits || isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
    // It would visit each of the hundreds of databases of a run, every minute.
    autovacuum: 'off',
    // No other server copies its log: less of it is written.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // Tables without statistics look large, and compiling a query would take longer than running it.
    jit: 'off',
  }
  const start = () => {
    const [command, ...args] = user([
      join(bin, 'postgres'),
      '-D',
      data,
      ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    return startProcess({
      command,
      args,
      log: join(folder, 'log'),
      ready: () =>
        run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
          () => true,
          () => false,
        ),
    })
  }
  try {
    const [initdb, ...initdbArgs] = user([
      ...[join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust'],
      ...['-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    ])
    await run(initdb, initdbArgs)
    let server = await start()
    const adminUrl = `postgres://postgres@127.0.0.1:${port}/postgres`
    return {
      adminUrl,
      port,
      pid: () => server.pid,
      createDatabase: () => createDatabase(adminUrl),
      shutDown: (mode) => server.stop(shutDownSignal[mode]),
      async startAgain() {
        server = await start()
      },
      async stop() {
        await server.stop(shutDownSignal.fast)
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Creates an empty database on the server of `adminUrl`.
 * @param options of `createdb`, such as `--icu-locale=en-US`
 * @returns its URL
 */
export async function createDatabase(adminUrl: string, options: readonly string[] = []): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await run(join(dirname(ensure('postgres')), 'createdb'), [`--maintenance-db=${adminUrl}`, ...options, name])
  const url = new URL(adminUrl)
  url.pathname = name
  return url.href
}

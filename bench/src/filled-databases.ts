import { execFile, type ExecFileException } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { ensure } from '../../test/servers/ensure.js'
import { startPostgres } from '../../test/servers/postgres.js'
import { storeCredentials } from './credentials.js'
import { processesOfDatabase } from './cpu-time.js'
import { accountRows, ownedRows, registrationRows, sessionRow, type Sizes } from './filled-rows.js'
import { addAccount, startSvc } from './programs.js'

/** A database that `svc serve` uses with a data directory. */
interface Installation {
  readonly data: string
  readonly flags: readonly string[]
  readonly run: (statements: readonly string[]) => Promise<void>
  /** The processes of the database, without svc. */
  readonly processes: () => readonly number[]
}

/** Creates and copies databases of one dialect. svc must be stopped while `run` or `copy` works. */
export interface Databases {
  readonly dialect: 'sqlite' | 'postgres'
  readonly create: (data: string) => Promise<Installation>
  readonly copy: (from: Installation, data: string) => Promise<Installation>
  readonly stop: () => Promise<void>
}

export function sqliteDatabases(): Databases {
  const installation = (data: string): Installation => ({
    data,
    flags: [],
    processes: () => [],
    async run(statements) {
      const handle = new BetterSqlite(join(data, 'svc.db'))
      // The rows need not survive a power cut.
      handle.pragma('synchronous = off')
      for (const statement of statements) handle.exec(statement)
      handle.close()
    },
  })
  return {
    dialect: 'sqlite',
    create: async (data) => installation(data),
    async copy(from, data) {
      await cp(from.data, data, { recursive: true })
      return installation(data)
    },
    stop: async () => undefined,
  }
}

export async function postgresDatabases(): Promise<Databases> {
  const server = await startPostgres()
  const program = (name: string) => join(dirname(ensure('postgres')), name)
  const installation = (data: string, url: string): Installation => ({
    data,
    flags: ['--database', url],
    processes: () => processesOfDatabase(new URL(url).pathname.slice(1)),
    run: (statements) => runWithInput(program('psql'), ['-qv', 'ON_ERROR_STOP=1', url], statements.join('\n')),
  })
  return {
    dialect: 'postgres',
    create: async (data) => installation(data, await server.createDatabase()),
    async copy(from, data) {
      await cp(from.data, data, { recursive: true })
      const url = new URL(from.flags[1] ?? '')
      const template = url.pathname.slice(1)
      url.pathname = `${template}_copy`
      await runWithInput(
        program('createdb'),
        [`--maintenance-db=${server.adminUrl}`, '-T', template, url.pathname.slice(1)],
        '',
      )
      return installation(data, url.href)
    },
    stop: () => server.stop(),
  }
}

/** @throws Error with the output of a program that fails */
const runWithInput = (command: string, args: readonly string[], input: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = execFile(command, args, (error: ExecFileException | null, _, stderr) => {
      if (error === null) resolve()
      else reject(new Error(`${command}: ${stderr}`))
    })
    child.stdin?.end(input)
  })

const sessionSecret = 'the session secret of the bench'

/** The credentials of the measured account. */
export interface Access {
  /** Token for paths below `/v1`. */
  readonly token: string
  /** The header Cookie for paths below `/console`. */
  readonly cookie: string
}

/** Makes an account that owns many rows. @param credentials are stored over the API, which encrypts them */
export async function fillAccount(
  databases: Databases,
  data: string,
  sizes: Sizes,
  credentials: number,
): Promise<{ installation: Installation; access: Access }> {
  const installation = await databases.create(data)
  const token = await addAccount(data, ...installation.flags)
  const svc = await startSvc(data, installation.flags)
  await storeCredentials(svc, token, credentials)
  await svc.stop()
  const now = Date.now()
  const hash = createHash('sha256').update(sessionSecret).digest('hex')
  await installation.run([
    ...ownedRows(databases.dialect, { condition: 'account.id = 1', sizes }, now),
    registrationRows(now),
    sessionRow(databases.dialect, 'bench@example.com', hash, now),
  ])
  return { installation, access: { token, cookie: `svc_session=${encodeURIComponent(sessionSecret)}` } }
}

/** As autovacuum would do. SQLite has no statistics, because svc takes none. */
const statistics = { sqlite: '', postgres: 'vacuum analyze;' } as const

/** Adds accounts with few rows each to the database of `fillAccount`. */
export async function fillOthers(
  { dialect }: Databases,
  { run }: Installation,
  sizes: Sizes,
  count: number,
): Promise<void> {
  const owner = { condition: 'account.id > 1', sizes }
  await run([accountRows(count), ...ownedRows(dialect, owner, Date.now()), statistics[dialect]])
}

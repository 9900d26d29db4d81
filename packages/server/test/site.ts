import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'
import type { Config } from '../src/config/config.js'
import { writerOf } from '../src/ports/blobs/port.js'
import { passwordOf, startApp, type Answer, type CallOptions, type DatabaseKind, type TestApp } from './app.js'
import { migratedPostgres } from './migrated-database.js'

/** A server whose database tests can read and change, for instance to let time pass. */
export interface Site extends TestApp {
  readonly database: Config['database']
  readonly blobs: Config['blobs']
  /** Runs SQL on a separate connection. */
  readonly sql: (statement: string) => Promise<Record<string, unknown>[]>
  /** Every row of every table, and the bytes of the files of a SQLite database. */
  readonly everythingKept: () => Promise<string>
  /** The keys of all stored objects, also unfinished ones. */
  readonly objects: () => Promise<string[]>
  /** Removes stored bytes, like a disk that loses them. */
  readonly removeObject: (key: string) => Promise<void>
  /** Starts another server on the same database, like a second process. The caller stops it. */
  readonly another: () => Promise<TestApp>
  /** Signs in, by default with the account's own password. */
  readonly signIn: (email: string, options?: SignIn) => Promise<Answer>
  /** A browser that has signed in as that account. */
  readonly browser: (email: string, options?: SignIn) => Promise<Browser>
}

export interface SignIn {
  readonly password?: string
  readonly headers?: Record<string, string>
}

/** Sends requests like a page of the console: with the session cookie, and with its Origin on writes. */
export interface Browser {
  /** `name=value` */
  readonly cookie: string
  readonly sessionId: number
  /** @param path below /console/api */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
}

export async function startSite(kind: DatabaseKind, overrides: Partial<Config> = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-site-'))
  const database: Config['database'] =
    kind === 'sqlite' ? { kind, file: join(folder, 'svc.db') } : { kind, url: await migratedPostgres() }
  // Processes of one installation share the stored bytes.
  const shared = { blobs: { kind: 'disk', folder: join(folder, 'files') }, ...overrides, database } as const
  const app = await startApp('sqlite', shared)
  const origin = overrides.publicUrl ?? app.url

  const signIn = (email: string, { password = passwordOf(email), headers }: SignIn = {}) =>
    app.call('POST', '/console/api/session/sign-in', { body: { email, password }, headers: { origin, ...headers } })

  return {
    ...app,
    database,
    blobs: shared.blobs,
    sql: (statement) => runSql(database, statement),
    everythingKept: () => everythingKept(database),
    objects: async () => (await readdir(join(folder, 'files'), { recursive: true })).flatMap(keyIn),
    removeObject: (key) => rm(join(folder, 'files', key.charAt(0), key.charAt(1), key)),
    another: () => startApp('sqlite', shared),
    signIn,
    browser: async (email, options) => {
      const answer = await signIn(email, options)
      const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0]
      if (answer.status !== 200 || cookie === undefined) throw new Error(`${email} could not sign in: ${answer.text}`)
      return {
        cookie,
        sessionId: answer.body['data'].session.id,
        call: (method, path, { headers, ...rest } = {}) =>
          app.call(method, `/console/api${path}`, {
            ...rest,
            headers: { cookie, ...(method === 'GET' ? {} : { origin }), ...headers },
          }),
      }
    },
    stop: async () => {
      await app.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** The key of an object in a path of the blob store. */
const keyIn = (path: string): string[] => {
  const name = basename(path)
  return writerOf(name) === undefined ? [] : [name]
}

/** Runs SQL on a separate connection. @returns the rows of a query */
export async function runSql(database: Config['database'], statement: string): Promise<Record<string, unknown>[]> {
  if (database.kind === 'postgres') {
    const client = new pg.Client(database.url)
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }
  const handle = new BetterSqlite(database.file)
  try {
    const prepared = handle.prepare(statement)
    if (prepared.reader) return prepared.all() as Record<string, unknown>[]
    prepared.run()
    // Reads in one turn of the event loop share a snapshot, so the server sees this write in the next turn.
    await nextTurn()
    return []
  } finally {
    handle.close()
  }
}

async function everythingKept(database: Config['database']): Promise<string> {
  const names =
    database.kind === 'postgres'
      ? `select tablename as name from pg_tables where schemaname = 'public'`
      : `select name from sqlite_master where type = 'table'`
  const texts: string[] = []
  for (const { name } of await runSql(database, names))
    for (const row of await runSql(database, `select * from "${String(name)}"`))
      for (const value of Object.values(row)) texts.push(value instanceof Uint8Array ? asText(value) : String(value))
  if (database.kind === 'sqlite') {
    const folder = dirname(database.file)
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isFile()) texts.push(asText(await readFile(join(folder, entry.name))))
  }
  return texts.join('\n')
}

/** Bytes as Latin-1 text and in hex, so that a search finds a secret in either form. */
const asText = (bytes: Uint8Array) => `${Buffer.from(bytes).toString('latin1')}\n${Buffer.from(bytes).toString('hex')}`

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { pino } from 'pino'
import type { TokenScope } from '@svc/contract'
import { createApp, type App } from '../src/app/app.js'
import { accountStore } from '../src/areas/account/accounts/store.js'
import { tokenStore } from '../src/areas/account/tokens/store.js'
import { readConfig, type Config } from '../src/config/config.js'
import type { Account } from '../src/shared/account.js'
import type { EmbeddedDns } from '../src/ports/dns/embedded/embedded-dns.js'
import { createMigratedFile, migratedPostgres } from './migrated-database.js'

/** The real server on a real socket, for tests. */
export interface TestApp {
  readonly app: App
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The nameserver's port on 127.0.0.1, UDP and TCP. */
  readonly dnsPort: number
  /** The log so far, one JSON text per line. */
  readonly log: string[]
  /** Creates an account with the password `passwordOf(email)`. By default, its hash needs little time, at each sign-in too. */
  readonly account: (email: string, hashOf?: typeof quickHash) => Promise<Account>
  /** Creates a token. @returns its value */
  readonly token: (account: Account, ...scopes: TokenScope[]) => Promise<string>
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The envelope, or `{}` if the answer is not JSON. */
  readonly body: Envelope
}

/** The envelope without types: the tests assert its contents. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Envelope = Record<string, any>

export type DatabaseKind = 'sqlite' | 'postgres'
export const databaseKinds: readonly DatabaseKind[] = ['sqlite', 'postgres']

export const passwordOf = (email: string) => `password of ${email}`

/** The least work that argon2 allows: the server verifies a password with the parameters in its hash. */
const quickHash = (password: string): Promise<string> => hash(password, { memoryCost: 8, timeCost: 1 })

/** One key for all servers, so that several of them can share a database. */
const testMasterKey = '5e'.repeat(32)

/** The vault of all servers. */
export const testVault = readConfig({ env: { SVC_MASTER_KEY: testMasterKey } }).vault

/** No server listens here: tests do not reach the internet. */
export const closedServer = '127.0.0.1:9'

export async function startApp(kind: DatabaseKind = 'sqlite', overrides: Partial<Config> = {}): Promise<TestApp> {
  const data = await mkdtemp(join(tmpdir(), 'svc-app-'))
  const env = {
    SVC_DATA: data,
    SVC_PORT: '0',
    SVC_DNS_PORT: '0',
    SVC_FX_URL: `http://${closedServer}/usd.json`,
    SVC_MASTER_KEY: testMasterKey,
  }
  const registries = { SVC_RDAP_URL: `http://${closedServer}/`, SVC_WHOIS: closedServer }
  const database = kind === 'postgres' ? { SVC_DATABASE: await migratedPostgres() } : {}
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) })
  const config = { ...readConfig({ env: { ...env, ...registries, ...database } }), ...overrides }
  if (config.database.kind === 'sqlite') await createMigratedFile(config.database.file)
  const app = await createApp(config, logger)
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 })
  const tokens = tokenStore(app.database)
  return {
    app,
    url,
    dnsPort: (app.dns as Partial<EmbeddedDns>).addresses?.[0]?.port ?? 0,
    log,
    account: async (email, hashOf = quickHash) =>
      accountStore(app.database).add({
        email,
        nickname: '',
        passwordHash: await hashOf(passwordOf(email)),
        now: Date.now(),
      }),
    token: async (account, ...scopes) => (await tokens.create(account, randomUUID(), scopes)).token,
    call: (method, path, options) => call(url, method, path, options),
    stop: async () => {
      await app.close()
      await rm(data, { recursive: true })
    },
  }
}

async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token, body, headers } = options
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as Envelope) : {},
  }
}

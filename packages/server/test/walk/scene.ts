import { Agent } from 'node:http'
import { consoleOperations, operations, isApiOnly, type Operation, placeholders, type TokenScope } from '@svc/contract'
import { accountStore } from '../../src/areas/account/accounts/store.js'
import { sessionStore } from '../../src/areas/account/sessions/store.js'
import type { Account } from '../../src/shared/account.js'
import { smtpAt } from '../mail-server.js'
import { closedServer, startApp, type DatabaseKind, type TestApp } from '../app.js'
import { send, type HttpAnswer } from '../raw-http.js'
import { dnsSettings } from '../zone-site.js'
import { rdapDocument, startRdap } from '../registry-servers.js'

/** A server with two accounts and a registry that has example.com, and every operation at each of its doors. */

/** An operation at one of its doors. */
export interface Entry {
  readonly op: Operation
  readonly door: 'v1' | 'console'
  /** With `{placeholders}`. */
  readonly path: string
}

/** All mounted operations: the areas at /v1, the same without the documents in the console, and those of the console alone. */
export const entries: readonly Entry[] = [
  ...operations.map((op) => ({ op, door: 'v1' as const, path: op.path })),
  ...operations
    .filter((op) => !isApiOnly(op))
    .map((op) => ({ op, door: 'console' as const, path: op.path.replace(/^\/v1/, '/console/api') })),
  ...consoleOperations.map((op) => ({ op, door: 'console' as const, path: op.path })),
]

export const titled = (some: readonly Entry[]) =>
  some.map((entry) => [`${entry.op.method} ${entry.path}`, entry] as const)

/** A request without its credentials. */
export interface Call {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** A value to send as JSON, or text to send unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

export type Credentials = Readonly<Record<string, string>>

export interface Scene extends TestApp {
  readonly owner: Account
  readonly stranger: Account
  /** Request headers with a token of the account, or with a new session, as the door requires. */
  readonly credentials: (door: Entry['door'], account: Account, ...scopes: TokenScope[]) => Promise<Credentials>
  /** Begins a browser session. */
  readonly session: (account: Account) => Promise<{ id: number; cookie: string }>
  readonly send: (entry: Entry, call: Call, credentials: Credentials) => Promise<HttpAnswer>
  /** Sends a request with any method and path. */
  readonly sendTo: (method: string, path: string) => Promise<HttpAnswer>
}

/** Begins sessions on a server without a sign-in. */
export function sessionOf({ app }: Pick<TestApp, 'app'>): Scene['session'] {
  const accounts = accountStore(app.database)
  const sessions = sessionStore(app.database)
  return async (account) => {
    const known = await accounts.byEmail(account.email)
    if (known === undefined) throw new Error(`${account.email} has no account.`)
    const { id, secret } = await sessions.begin(known, { ip: '203.0.113.7', userAgent: 'test' })
    return { id, cookie: `svc_session=${secret}` }
  }
}

let scenes = 0

export async function openScene(kind: DatabaseKind, overrides: Parameters<typeof startApp>[1] = {}): Promise<Scene> {
  const rdap = await startRdap()
  rdap.documents.set('example.com', rdapDocument('example.com'))
  const app = await startApp(kind, {
    registries: { rdapUrl: rdap.url, whois: closedServer },
    // Certificates are asked for, and not ordered: no resolver says that their names lead here.
    acme: {
      directoryUrl: `https://${closedServer}/dir`,
      email: undefined,
      profile: undefined,
      externalAccount: undefined,
    },
    // E-mails are added to the outbox, and no server takes them.
    mail: smtpAt(9),
    passwordReset: true,
    dns: dnsSettings([closedServer]),
    ...overrides,
  })
  const session = sessionOf(app)
  scenes++
  // A new connection for each request took a quarter of the time.
  const agent = new Agent({ keepAlive: true })
  return {
    ...app,
    session,
    stop: async () => {
      agent.destroy()
      await app.stop()
      await rdap.stop()
    },
    owner: await app.account(`owner${scenes}@example.com`),
    stranger: await app.account(`stranger${scenes}@example.com`),
    credentials: async (door, account, ...scopes) =>
      door === 'console'
        ? { cookie: (await session(account)).cookie }
        : { authorization: `Bearer ${await app.token(account, ...(scopes.length > 0 ? scopes : ['*' as const]))}` },
    send: (entry, call, credentials) => {
      const { body } = call
      return send(app.url, entry.op.method, urlOf(entry.path, call), {
        agent,
        headers: {
          ...(entry.door === 'console' ? { origin: app.url } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...credentials,
          ...call.headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    },
    sendTo: (method, path) => send(app.url, method, path, { agent }),
  }
}

/** The path with its placeholders replaced, and the query. A missing parameter becomes the id 1. */
export function urlOf(path: string, { params = {}, query = {} }: Call): string {
  const filled = placeholders(path).reduce(
    (url, name) => url.replace(`{${name}}`, encodeURIComponent(asText(params[name] ?? 1))),
    path,
  )
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, asText(value)])
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

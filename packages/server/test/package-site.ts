import { createHash } from 'node:crypto'
import { request, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { Config } from '../src/config/config.js'
import type { Account } from '../src/shared/account.js'
import type { Answer, DatabaseKind, Envelope } from './app.js'
import { startSite, type Site } from './site.js'

/** A file to publish. */
export interface File {
  readonly name: string
  readonly content: string | Buffer
}

/** An account with a token for packages. */
export interface Publisher {
  readonly account: Account
  readonly token: string
}

export interface Followed {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface FollowOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  /** The URL of the server; another process has its own. */
  readonly at?: string
}

/** The real server, with calls for packages. */
export interface PackageSite extends Site {
  readonly publisher: () => Promise<Publisher>
  /** A slug that no test has used. */
  readonly newSlug: () => string
  readonly publish: (by: Publisher, fields: Envelope, ...files: readonly File[]) => Promise<Answer>
  /** As a form. Fields that are lists are sent once per entry. */
  readonly publishForm: (by: Publisher, parts: readonly (readonly [string, string | File])[]) => Promise<Answer>
  /** @returns `data` of an answer that must be 200 */
  readonly post: (by: Publisher, name: string, body: Envelope) => Promise<Answer>
  readonly get: (by: Publisher, slug: string) => Promise<Answer>
  /** Requests an address of the content host, whose name does not resolve. */
  readonly follow: (address: string, options?: FollowOptions) => Promise<Followed>
}

/** `data` of an answer that must be 200. */
export function dataOf(answer: Answer): Envelope {
  expect(answer.status, answer.text).toBe(200)
  return answer.body['data'] as Envelope
}

export const sha256Of = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

export const entryOf = ({ name, content }: File) => ({ name, content: Buffer.from(content).toString('base64') })

let accounts = 0
let slugs = 0

export async function startPackageSite(kind: DatabaseKind, overrides: Partial<Config> = {}): Promise<PackageSite> {
  const site = await startSite(kind, overrides)
  const post = ({ token }: Publisher, name: string, body: Envelope) =>
    site.call('POST', `/v1/packages/${name}`, { token, body })
  return {
    ...site,
    post,
    publisher: async () => {
      const account = await site.account(`publisher${String(++accounts)}@example.com`)
      return { account, token: await site.token(account, 'packages:write') }
    },
    newSlug: () => `package-${String(++slugs)}`,
    publish: (by, fields, ...files) => post(by, 'publish', { ...fields, artifacts: files.map(entryOf) }),
    publishForm: ({ token }, parts) => sendForm(site.url, token, parts),
    get: ({ token }, slug) => site.call('GET', `/v1/packages/${slug}`, { token }),
    follow: (address, options) => follow(site.url, address, options),
  }
}

async function sendForm(
  url: string,
  token: string,
  parts: readonly (readonly [string, string | File])[],
): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of parts)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([new Uint8Array(Buffer.from(value.content))]), value.name)
  const response = await fetch(`${url}/v1/packages/publish`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Envelope }
}

function follow(
  url: string,
  address: string,
  { method = 'GET', headers = {}, at = url }: FollowOptions = {},
): Promise<Followed> {
  const { pathname, hostname } = new URL(address)
  return new Promise((resolve, reject) => {
    const sent = request(at + pathname, { method, headers: { host: hostname, ...headers } }, (response) => {
      const { statusCode: status = 0, headers: received } = response
      buffer(response).then((body) => resolve({ status, headers: received, body }), reject)
    })
    sent.once('error', reject).end()
  })
}

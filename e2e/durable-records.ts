import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../packages/cli/test/svc.js'
import { ask } from '../packages/server/test/dns-ask.js'
import { freePort } from '../test/servers/index.js'
import { accountToken } from './account-token.js'

/** An installed server with one zone, and the records that it has acknowledged. */

/** An answer. Undefined if the connection broke: then the outcome of the request is unknown. */
export type Outcome = { readonly status: number; readonly body: Record<string, unknown> } | undefined

export interface DurableZone {
  /** The hosts whose records were acknowledged. */
  readonly acknowledged: Set<string>
  readonly start: () => Promise<Serving & AsyncDisposable>
  readonly create: (server: Serving, host: string) => Promise<Outcome>
  readonly hosts: (server: Serving) => Promise<Set<string>>
  /** Checks that the API and the nameserver have every acknowledged record. Others may exist. */
  readonly expectAllThere: (server: Serving) => Promise<void>
}

const zone = 'durable.example'
const content = { type: 'TXT', value: 'x'.repeat(200) }

/** The files of a data folder with an account, its token and its zone. */
interface Template {
  readonly files: ReadonlyMap<string, Buffer>
  readonly token: string
}

/** Shared by the tests of a file, because creating it takes three processes. */
let template: Promise<Template> | undefined

async function makeTemplate(): Promise<Template> {
  await using place = await emptyPlace()
  const token = await accountToken(place, 'ada@example.com', 'dns:write')
  await using server = await svcServe(place)
  expect((await callWith(token, server, 'POST', '', { zone }))?.status).toBe(200)
  expect(await server.stop()).toBe(0)
  const data = join(place.cwd, 'data')
  const entries = await readdir(data, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  return {
    token,
    files: new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(data, name))] as const))),
  }
}

async function callWith(
  token: string,
  server: Serving,
  method: string,
  path: string,
  body?: unknown,
): Promise<Outcome> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  try {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${server.url}/v1/dns/zones${path}`, { method, headers, ...text })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  } catch (error) {
    // fetch throws a TypeError when the connection breaks.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

export async function durableZone(place: Place): Promise<DurableZone> {
  template ??= makeTemplate()
  const { files, token } = await template
  const data = join(place.cwd, 'data')
  await mkdir(data, { recursive: true, mode: 0o700 })
  for (const [name, content] of files) await writeFile(join(data, name), content, { mode: 0o600 })
  const dnsPort = await freePort()
  const acknowledged = new Set<string>()
  const start = () => svcServe(place, '--dns-port', String(dnsPort))
  const call = (server: Serving, method: string, path: string, body?: unknown) =>
    callWith(token, server, method, path, body)

  async function create(server: Serving, host: string): Promise<Outcome> {
    const outcome = await call(server, 'POST', `/${zone}/records`, { ...content, host })
    if (outcome?.status === 200) acknowledged.add(host)
    return outcome
  }

  async function hosts(server: Serving): Promise<Set<string>> {
    const answer = await call(server, 'GET', `/${zone}/records`)
    expect(answer?.status).toBe(200)
    const { records } = answer?.body['data'] as { records: { host: string }[] }
    return new Set(records.map(({ host }) => host))
  }

  return {
    acknowledged,
    start,
    create,
    hosts,
    async expectAllThere(server) {
      const listed = await hosts(server)
      expect([...acknowledged].filter((host) => !listed.has(host))).toEqual([])
      for (const host of listed) {
        const { answers } = await ask(dnsPort, `${host}.${zone}`, 'TXT')
        expect(answers, host).toMatchObject([{ value: content.value }])
      }
    },
  }
}

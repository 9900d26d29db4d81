import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations as allOperations, type Operation } from '@svc/contract'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { expectError, send, type HttpAnswer } from '../../packages/server/test/raw-http.js'
import { freshPostgres } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'
import { fileClient, type FileClient } from '../file-client.js'

/** Files, uploads and links of one account cannot be reached or seen by another. Two processes share the limits of an account. */

const bytesMax = 1_000_000
const unknownId = 987_654_321
const secretName = 'the-name-of-ada.txt'

let place: Place
let empty: Place & AsyncDisposable
let servers: readonly (Serving & AsyncDisposable)[]
let ada: FileClient
let mallory: string
let full: string
/** Of Ada. */
let file: { readonly id: number; readonly share_url: string }
let uploadId: number

beforeAll(async () => {
  empty = await emptyPlace()
  place = { ...empty, env: { SVC_DATABASE: await freshPostgres(), SVC_FILES_BYTES_MAX: String(bytesMax) } }
  const adasToken = await accountToken(place, 'ada@example.com', '*')
  mallory = await accountToken(place, 'mallory@example.com', '*')
  full = await accountToken(place, 'full@example.com', 'files:write')
  servers = [await svcServe(place), await svcServe(place)]
  ada = fileClient(servers[0]!.url, adasToken)
  const content = Buffer.from('of Ada').toString('base64')
  const uploaded = await ada.call('files/upload', { name: secretName, content, shared: true })
  expect(uploaded).toMatchObject({ status: 200 })
  file = uploaded?.data as unknown as typeof file
  uploadId = await ada.sendParts([Buffer.from('a part of Ada')])
})
afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]()
  await empty[Symbol.asyncDispose]()
})

interface Call {
  readonly query?: string
  /** Text for another media type. */
  readonly body?: object | string
  /** The media type of a body that is not JSON. */
  readonly type?: string
}

/** The calls of each operation that takes an id. */
const calls: Readonly<Record<string, (file: number, upload: number) => readonly Call[]>> = {
  'files.get': () => [{}],
  'files.download': (id) => [{ query: `?id=${id}` }],
  'files.traffic': (id) => [{ query: `?id=${id}` }, { query: `?id=${id}&days=90` }],
  'files.update': (id) => [
    { body: { id, shared: false } },
    { body: { id, name: 'b.txt' } },
    { body: { id, media_type: 'text/html' } },
  ],
  'files.rename': (id) => [{ body: { id, name: 'b.txt' } }],
  'files.delete': (id) => [{ body: { id } }],
  'files.uploadChunk': (_, upload_id) => [
    { body: { upload_id, index: 0, content: 'aGVsbG8=' } },
    { body: { upload_id, index: 1, content: '' } },
    { query: `?upload_id=${upload_id}&index=0`, body: 'x', type: 'application/octet-stream' },
  ],
  'files.uploadFinalize': (_, upload_id) => [
    { body: { upload_id, name: 'b.txt', parts: 1 } },
    { body: { upload_id, name: 'b.txt', parts: 2, sha256: '0'.repeat(64) } },
  ],
  'files.uploadDiscard': (_, upload_id) => [{ body: { upload_id } }],
  'cdn.config': (id) => [{ body: { id, edge_ttl: 0 } }, { body: { id, serving: false } }],
  'cdn.purge': (id) => [{ body: { id } }],
}
const withoutId = ['files.list', 'files.upload', 'files.uploadList', 'files.usage', 'cdn.stats']
const operations = allOperations.filter(({ id }) => /^(files|cdn)\./.test(id))

it('every operation of both areas is tested here', () => {
  expect(operations.map(({ id }) => id).toSorted()).toEqual([...Object.keys(calls), ...withoutId].toSorted())
})

function callAs(token: string, { method, path }: Operation, { query = '', body, type }: Call, id: number) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type ?? 'application/json' }
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return send(servers[1]!.url, method, path.replace('{id}', String(id)) + query, { headers, ...sent })
}

/** What Ada has, as she sees it. */
const everything = async () => [
  await ada.call('files'),
  await ada.call('cdn/stats'),
  (await ada.download(file.id))?.bytes,
]

describe.each(operations.filter(({ id }) => !withoutId.includes(id)))('$id', (operation) => {
  const each = async (id: number, upload: number, check: (answer: HttpAnswer) => void) => {
    for (const call of calls[operation.id]!(id, upload)) {
      const answer = await callAs(mallory, operation, call, id)
      check(answer)
      expect(answer.text).not.toMatch(/of[- ]ada|ada@|\/s\//i)
    }
  }

  it('403 forbidden for the ids of another account, and nothing changes', async () => {
    const before = await everything()
    await each(file.id, uploadId, (answer) => expectError(answer, 'forbidden'))
    expect(await everything()).toEqual(before)
  })

  it('404 not_found for unknown ids', () => each(unknownId, unknownId, (answer) => expectError(answer, 'not_found')))
})

it('lists and counts have nothing of another account', async () => {
  const client = fileClient(servers[1]!.url, mallory)
  for (const path of ['files', `files?before=${file.id + 1}`, 'cdn/stats', `cdn/stats?before=${file.id + 1}`])
    expect(await client.call(path)).toEqual({ status: 200, data: { files: [], next: null, total: 0 } })
  expect(await client.call('files/usage')).toMatchObject({ data: { files: 0, shared: 0, bytes: 0, uploads: 0 } })
})

describe('a share link', () => {
  /** Opens a path of the content host. */
  async function open(path: string): Promise<{ status: number; headers: string; body: string }> {
    const { hostname, port } = new URL(servers[0]!.url)
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path, headers: { host: 'content.localhost' }, agent: false }, (answer) => {
        const status = answer.statusCode ?? 0
        const headers = JSON.stringify(answer.headers)
        text(answer).then((body) => resolve({ status, headers, body }), reject)
      })
      sent.on('error', reject)
      sent.end()
    })
  }

  it('has the bytes, the name and no id, account or other key', async () => {
    const { pathname } = new URL(file.share_url)
    const { status, headers, body } = await open(pathname)
    expect([status, body]).toEqual([200, 'of Ada'])
    expect(headers).toContain(secretName)
    expect(headers).not.toMatch(/example\.com|set-cookie|account/i)
    const key = pathname.split('/')[2] as string
    expect(headers).not.toContain(key)
  })

  it('404 for a share link with another key, and no name or id in the answer', async () => {
    const [, , key = ''] = new URL(file.share_url).pathname.split('/')
    const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    for (const path of [
      `/s/${other}/${secretName}`,
      `/s/${file.id}/x`,
      `/s/${key.slice(0, -1)}/x`,
      `/s/${key}x/x`,
      '/s//x',
      `/v1/files/${file.id}`,
    ]) {
      const { status, headers, body } = await open(path)
      expect([path, status]).toEqual([path, 404])
      expect(headers + body).not.toContain(secretName)
    }
  })

  it('a share link of one account does not open the file of another, whatever the name in it', async () => {
    const client = fileClient(servers[1]!.url, mallory)
    const content = Buffer.from('of Mallory').toString('base64')
    const own = await client.call('files/upload', { name: 'own.txt', content, shared: true })
    const [, , key] = new URL(own?.data['share_url'] as string).pathname.split('/')
    for (const name of [
      secretName,
      String(file.id),
      `..%2F${new URL(file.share_url).pathname.split('/')[2] as string}%2Fx`,
    ]) {
      const { body, headers } = await open(`/s/${key as string}/${name}`)
      expect(body).toBe('of Mallory')
      expect(headers).not.toContain(secretName)
    }
  })
})

it('parallel uploads in two processes do not exceed the bytes of the account', async () => {
  const clients = servers.map(({ url }) => fileClient(url, full))
  const content = Buffer.alloc(90_000, 'svc')
  const json = { name: 'a', content: content.toString('base64') }
  const outcomes = await Promise.all(
    Array.from({ length: 32 }, (_, i) => {
      const client = clients[i % 2] as FileClient
      return i % 4 < 2 ? client.call('files/upload', json) : client.sendPart(undefined, 0, content)
    }),
  )
  const accepted = outcomes.filter((outcome) => outcome?.status === 200)
  expect(accepted).toHaveLength(Math.floor(bytesMax / content.length))
  const refused = outcomes.filter((outcome) => !accepted.includes(outcome))
  for (const outcome of refused) {
    expect(outcome?.status).toBe(400)
    expect(outcome?.data['message']).toMatch(/the account uses \S+ [kM]B \(\d+ bytes\) of 1 MB \(1000000 bytes\)/)
  }
})

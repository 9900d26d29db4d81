import { describe, expect, it } from 'vitest'
import { areaOf, areas, consoleAreas, consoleOperations, nameOf, operations, type Operation } from '@svc/contract'
import { createCaller, createClient, InputError } from '../src/index.js'

/** For every operation of the contract, the client converts the flat input to the right path, query and body. */

interface Sent {
  readonly url: string
  readonly init: RequestInit
}

/** A fetch that records requests and answers all of them with the same data. */
function recorder() {
  const sent: Sent[] = []
  const record: typeof fetch = (url, init) => {
    sent.push({ url: url as string, init: init ?? {} })
    const envelope = { success: true, data: {}, request_id: 'req_0123456789abcdef' }
    return Promise.resolve(Response.json(envelope))
  }
  return { sent, record }
}

const flat = ({ example: { params, query, body } }: Operation) => ({ ...params, ...query, ...body })

/** The expected URL by the contract, built with the URL class and without code of the client. */
function expected(op: Operation, prefix: string) {
  const { params, query } = op.example
  const url = new URL(`http://api.test${op.path.replace(/^\/v1(?=\/|$)/, prefix)}`)
  url.pathname = decodeURI(url.pathname).replace(/\{(\w+)\}/g, (_, name: string) => String(params?.[name]))
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
  return url.href
}

const doors = [
  { door: 'bearer', prefix: '/v1', offered: operations },
  {
    door: 'console',
    prefix: '/console/api',
    offered: [...operations.filter((op) => areaOf(op) !== 'catalogue'), ...consoleOperations],
  },
] as const

describe.each(doors)('at $prefix', ({ door, prefix, offered }) => {
  it.each(offered.map((op) => [op.id, op] as const))(
    '%s sends its example as the contract declares',
    async (_id, op) => {
      const { sent, record } = recorder()
      const client = createClient({ baseUrl: 'http://api.test', fetch: record, door: door as 'bearer' })
      const area = client[areaOf(op) as 'dns'] as unknown as Record<string, (input: object) => Promise<unknown>>

      await area[nameOf(op)]?.(flat(op))

      expect(sent).toHaveLength(1)
      const { url, init } = sent[0]!
      expect(new URL(url).href).toBe(expected(op, prefix))
      expect(init.method).toBe(op.method)
      expect(init.body === undefined ? undefined : JSON.parse(init.body as string)).toEqual(
        op.body && (op.example.body ?? {}),
      )
      expect(new Headers(init.headers).get('content-type')).toBe(op.body ? 'application/json' : null)
    },
  )
})

it('the names of exports (for types) equal the names in ids (for the client)', () => {
  for (const [area, exported] of Object.entries({ ...areas, ...consoleAreas }))
    for (const [name, op] of Object.entries<unknown>(exported))
      if (typeof op === 'object' && op !== null && 'id' in op) expect(op.id).toBe(`${area}.${name}`)
})

describe('the request', () => {
  const client = () => {
    const { sent, record } = recorder()
    return { sent, ...createClient({ baseUrl: 'http://api.test', token: 'svc_0', fetch: record }) }
  }

  it('omits undefined fields, and includes false, 0 and empty text', async () => {
    const { dns, files, cdn, sent } = client()
    await dns.zoneList({ status: undefined })
    await dns.recordCreate({ zone: 'example.com', type: 'A', host: '', value: '192.0.2.1', ttl: undefined })
    await cdn.config({ id: 7, edge_ttl: 0, serving: false })
    await files.list({ limit: 5, before: undefined })
    expect(sent.map(({ url, init }) => [url, init.body])).toEqual([
      ['http://api.test/v1/dns/zones', undefined],
      ['http://api.test/v1/dns/zones/example.com/records', '{"type":"A","host":"","value":"192.0.2.1"}'],
      ['http://api.test/v1/cdn/config', '{"id":7,"edge_ttl":0,"serving":false}'],
      ['http://api.test/v1/files?limit=5', undefined],
    ])
  })

  it('encodes path segments', async () => {
    const { packages, sent } = client()
    await packages.get({ slug: 'a/b?c#d e%2f' })
    expect(sent[0]?.url).toBe('http://api.test/v1/packages/a%2Fb%3Fc%23d%20e%252f')
  })

  it.each(['', '.', '..'])('rejects %j in a path, which would change the path', async (id) => {
    const { dns, sent } = client()
    await expect(dns.recordDelete({ zone: 'example.com', id })).rejects.toThrow(InputError)
    await expect(dns.zoneRelease({ zone: id })).rejects.toThrow('dns.zoneRelease: zone is part of the path')
    expect(sent).toEqual([])
  })

  it('writes lists, booleans and numbers as text in the query', async () => {
    const { sent, record } = recorder()
    const fx = operations.find((op) => op.id === 'public.fx')!
    await createCaller({ baseUrl: 'http://api.test', fetch: record })(fx, { symbols: ['EUR', 'GBP'], on: true, n: 3 })
    expect(sent[0]?.url).toBe('http://api.test/v1/public/fx?symbols=EUR%2CGBP&on=true&n=3')
  })

  it('includes unknown fields, which the server names in its error', async () => {
    const { sent, record } = recorder()
    const call = createCaller({ baseUrl: 'http://api.test', fetch: record })
    await call(
      operations.find((op) => op.id === 'dns.recordUpdate')!,
      { zone: 'example.com', id: '1', tll: 60 },
    )
    expect(sent[0]?.init.body).toBe('{"tll":60}')
  })

  it('includes the token only in the header, and no cookies', async () => {
    const { account, sent } = client()
    await account.me()
    expect(sent[0]?.init).toMatchObject({ credentials: 'omit', headers: { authorization: 'Bearer svc_0' } })
    expect(sent[0]?.url).not.toContain('svc_0')
  })

  it('the error for a token with a line break does not quote it', () => {
    expect(() => createClient({ baseUrl: '', token: 'svc_secret\n' })).toThrow(/^token contains invalid characters$/)
  })
})

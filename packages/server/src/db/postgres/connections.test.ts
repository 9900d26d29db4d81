import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshPostgres } from '../../../../../test/servers/index.js'
import { Connections, DatabaseTimeout } from './connections.js'

let url: string
beforeAll(async () => {
  url = await freshPostgres()
})

const open = (options: { url: string; max?: number }) =>
  new Connections({ max: 2, statementMs: 5_000, onLost: () => undefined, ...options })
const deadlineIn = (ms = 300) => performance.now() + ms

describe('connections to PostgreSQL', () => {
  const settings = `select name, setting from pg_settings where name like 'tcp_%' or name in ('work_mem', 'statement_timeout')`

  it('connections make the server end a session within a minute if the host disappears, and keep the options of the URL', async () => {
    const connections = open({ url: `${url}?options=-c%20work_mem%3D123kB` })
    const { rows } = await connections.use(deadlineIn(5_000), (client) =>
      client.query<{ name: string; setting: string }>(settings),
    )
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      tcp_keepalives_idle: '30',
      tcp_keepalives_interval: '10',
      tcp_keepalives_count: '3',
      tcp_user_timeout: '60000',
      work_mem: '123',
      statement_timeout: '5000',
    })
    await connections.end()
  })

  it('a call times out at its deadline while all connections are in use, and a later call gets the released one', async () => {
    const connections = open({ url, max: 1 })
    const first = await connections.checkOut(deadlineIn(5_000))
    await expect(connections.checkOut(deadlineIn())).rejects.toThrow(DatabaseTimeout)
    const second = connections.checkOut(deadlineIn(5_000))
    first.release()
    const { client, release } = await second
    await expect(client.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] })
    release()
    await connections.end()
  })

  it('connections are cut and replaced when their work exceeds its deadline', async () => {
    const connections = open({ url, max: 1 })
    const late = connections.use(deadlineIn(), (client) => client.query('select pg_sleep(3)'))
    await expect(late).rejects.toThrow(DatabaseTimeout)
    await expect(
      connections.use(deadlineIn(5_000), (client) => client.query('select 1 as one')),
    ).resolves.toMatchObject({ rows: [{ one: 1 }] })
    await connections.end()
  })

  it('connections are reused after a statement that the server rejects', async () => {
    const connections = open({ url, max: 1 })
    const session = () =>
      connections.use(deadlineIn(5_000), async (client) => (await client.query('select pg_backend_pid()')).rows)
    const before = await session()
    await expect(connections.use(deadlineIn(5_000), (client) => client.query('select 1/0'))).rejects.toThrow('division')
    expect(await session()).toEqual(before)
    await connections.end()
  })
})

describe('a server that accepts connections and never answers', () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)))
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('each of many calls times out at its deadline', async () => {
    const { port } = server.address() as AddressInfo
    const connections = open({ url: `postgres://x@127.0.0.1:${port}/x` })
    const from = performance.now()
    const calls = Array.from({ length: 10 }, () => connections.use(deadlineIn(), (client) => client.query('select 1')))
    const outcomes = await Promise.allSettled(calls)
    expect(performance.now() - from).toBeLessThan(2_000)
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(DatabaseTimeout) })
    await connections.end()
  })
})

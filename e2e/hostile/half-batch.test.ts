import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe, type Place } from '../../packages/cli/test/svc.js'
import { freePort, freshPostgres } from '../../test/servers/index.js'
import { client, type Call, type Outcome } from './api-traffic.js'
import { isLong } from './random.js'

/** No DNS answer shows a part of a batch, also while thousands of queries arrive in each second. */

const zone = 'batch.example'
const hosts = Array.from({ length: 40 }, (_, i) => `h${i}`)
/** Records of one name, which each batch deletes and creates anew. */
const setSize = 30
const batches = isLong ? 1_000 : 60
const queriesPerSecond = 5_000

const addressOf = (generation: number, i: number) => `10.${generation >> 8}.${generation & 255}.${i}`

interface StoredRecord {
  readonly id: number
  readonly host: string
}

const create = (host: string, value: string) => ({ create: { type: 'A', host, value, ttl: 60 } })
const newSet = (generation: number) =>
  Array.from({ length: setSize }, (_, i) => create('set', addressOf(generation, i)))

/** Sends a batch of 100 changes to the next generation. @returns the records of the set */
async function advance(call: Call, generation: number, set: readonly StoredRecord[]): Promise<StoredRecord[]> {
  const changes = [
    ...hosts.slice(0, 20).map((_, i) => ({ update: { id: i + 1, value: addressOf(generation, i) } })),
    ...set.map(({ id }) => ({ delete: { id } })),
    ...newSet(generation),
    ...hosts.slice(20).map((_, i) => ({ update: { id: i + 21, value: addressOf(generation, i) } })),
  ]
  expect(changes).toHaveLength(100)
  return recordsOfSet(await call('POST', `/v1/dns/zones/${zone}/records/batch`, { changes }))
}

function recordsOfSet({ status, body }: Outcome): StoredRecord[] {
  expect(status, JSON.stringify(body)).toBe(200)
  return (body['data'] as { added: StoredRecord[] }).added.filter(({ host }) => host === 'set')
}

interface Probed {
  readonly answered: number
  readonly perSecond: number
  readonly newest: number
  readonly problems: readonly string[]
}

async function startProber(port: number) {
  const names = ['set', ...hosts].map((host) => `${host}.${zone}`)
  const sizes = [setSize, ...hosts.map(() => 1)]
  const worker = new Worker(new URL('../../packages/server/test/query-prober.mjs', import.meta.url), {
    workerData: { port, names, sizes, perSecond: queriesPerSecond },
  })
  await once(worker, 'message')
  return async (): Promise<Probed> => {
    const report = once(worker, 'message') as Promise<[Probed]>
    worker.postMessage('stop')
    const [probed] = await report
    await worker.terminate()
    return probed
  }
}

it.each([
  ['one process on SQLite', async () => ({}), 1],
  ['two processes on PostgreSQL', async () => ({ SVC_DATABASE: await freshPostgres() }), 2],
] as const)(
  `no answer of %s is from half a batch`,
  async (_, database, processes) => {
    await using files = await emptyPlace()
    const env = await database()
    const ports = await Promise.all(Array.from({ length: processes }, freePort))
    const placeOf = (port: number): Place => ({
      ...files,
      env: { ...env, SVC_DNS_RATE_LIMIT: '0', SVC_DNS_PORT: String(port) },
    })
    const callsTo = await client(placeOf(ports[0]!))
    await using first = await svcServe(placeOf(ports[0]!))
    const call = callsTo(first.url)
    expect((await call('POST', '/v1/dns/zones', { zone })).status).toBe(200)
    const changes = [...hosts.map((host, i) => create(host, addressOf(0, i))), ...newSet(0)]
    let set = recordsOfSet(await call('POST', `/v1/dns/zones/${zone}/records/batch`, { changes }))
    // The second process loads the zone at its start, and follows the changes of the first one.
    await using second = processes === 2 ? await svcServe(placeOf(ports[1]!)) : undefined
    expect(second?.child.exitCode ?? null).toBe(null)

    const probers = await Promise.all(ports.map(startProber))
    for (let generation = 1; generation <= batches; generation++) set = await advance(call, generation, set)
    const probed = await Promise.all(probers.map((stop) => stop()))

    console.info(
      probed.map(({ perSecond }) => `${batches} batches under ${Math.round(perSecond)} queries/s`).join('; '),
    )
    for (const { answered, problems } of probed) {
      expect(problems).toEqual([])
      expect(answered).toBeGreaterThan(batches)
    }
    expect(probed[0]?.newest).toBeGreaterThan(batches / 2)
  },
  isLong ? 300_000 : 60_000,
)

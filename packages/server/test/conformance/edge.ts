import { Agent, request, type IncomingMessage } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { keyOf, Origin, type SharedFile } from './edge-origin.js'
import type { Edge } from '../../src/ports/edge/port.js'

/** An adapter, and where its clients connect to. */
export interface ServedEdge {
  readonly edge: Edge
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly stop: () => Promise<void>
}

const free = Promise.resolve()

/** A promise and what resolves it. */
function closedGate() {
  let open: () => void = () => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  return { gate, open }
}

/**
 * Tests the guarantees of the port on one adapter, over HTTP.
 * @param start opens the adapter; `originPort` is the port of the server that uses it
 */
export function edgeConformance(start: (originPort: number) => Promise<ServedEdge>): void {
  const origin = new Origin()
  let served: ServedEdge
  let lastId = 0
  const agent = new Agent({ keepAlive: true })
  beforeAll(async () => {
    served = await start(await origin.listen())
    origin.edge = served.edge
  })
  afterAll(async () => {
    agent.destroy()
    await served.stop()
    await served.edge.close()
    origin.close()
  })

  const share = (more: Partial<SharedFile> = {}): SharedFile => {
    const id = ++lastId
    const file = {
      id,
      version: 1,
      ttl: 60,
      isShared: true,
      content: Buffer.from(`file ${String(id)}, old`),
      gate: free,
    }
    const shared = { ...file, lastGate: free, lookups: 0, fetches: 0, ...more }
    origin.files.set(shared.id, shared)
    return shared
  }
  const get: Tools['get'] = ({ id }, { range, signal } = {}) =>
    new Promise((resolve, reject) => {
      const headers = { host: 'content.localhost', ...(range === undefined ? {} : { range }) }
      const options = { headers, agent, ...(signal ? { signal } : {}) }
      request(`${served.url}/s/${keyOf(id)}/name.txt`, options, resolve)
        .on('error', reject)
        .end()
    })
  const read = async (file: SharedFile) => text(await get(file))
  const replace = (file: SharedFile) => {
    file.version++
    file.content = Buffer.from(`file ${String(file.id)}, new`)
    return served.edge.purge([file.id])
  }
  const tools = { share, get, read, replace, served: () => served }
  copies(tools)
  purges(tools)
  races(tools)
  manyRaces(tools)
  fills(tools)
}

interface Tools {
  readonly share: (more?: Partial<SharedFile>) => SharedFile
  readonly get: (file: SharedFile, how?: { range?: string; signal?: AbortSignal }) => Promise<IncomingMessage>
  readonly read: (file: SharedFile) => Promise<string>
  /** Changes the bytes in the database and purges. */
  readonly replace: (file: SharedFile) => Promise<void>
  readonly served: () => ServedEdge
}

function copies({ share, get, read }: Tools): void {
  describe('copies', () => {
    it('the second request is answered from the cache', async () => {
      const file = share()
      expect([await read(file), await read(file), file.fetches]).toEqual(['file 1, old', 'file 1, old', 1])
    })

    it('browsers and other caches must ask before each use', async () => {
      const file = share()
      for (const answer of [await get(file), await get(file)]) {
        expect(answer.headers).toMatchObject({ 'cache-control': 'max-age=0, must-revalidate' })
        expect(answer.headers).not.toHaveProperty('xkey')
        await text(answer)
      }
    })

    it('a copy is not served after its time to live', async () => {
      const file = share({ ttl: 1 })
      await read(file)
      file.content = Buffer.from('fetched again')
      await sleep(1_100)
      expect([await read(file), file.fetches]).toEqual(['fetched again', 2])
    })

    it('a time to live of 0 keeps no copy', async () => {
      const file = share({ ttl: 0 })
      await Promise.all([read(file), read(file)])
      expect(file.fetches).toBe(2)
    })

    it('ranges are answered from the copy, byte for byte', async () => {
      const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
      const file = share({ content })
      expect((await buffer(await get(file))).equals(content)).toBe(true)
      for (const [first, last] of [
        [0, 0],
        [65_535, 65_536],
        [10, 250_000],
        [299_999, 299_999],
      ] as const) {
        const answer = await get(file, { range: `bytes=${String(first)}-${String(last)}` })
        const isRight = (await buffer(answer)).equals(content.subarray(first, last + 1))
        expect([answer.statusCode, isRight]).toEqual([206, true])
      }
      expect(file.fetches).toBe(1)
    })

    it('404 is not cached', async () => {
      const file = share({ isShared: false })
      expect(await read(file)).toBe('There is nothing at this address.\n')
      file.isShared = true
      expect(await read(file)).toBe(`file ${String(file.id)}, old`)
    })
  })
}

function purges({ share, read, replace, served }: Tools): void {
  describe('purge', () => {
    it('the next request gets the new bytes', async () => {
      const file = share()
      await read(file)
      await replace(file)
      expect(await read(file)).toBe(`file ${String(file.id)}, new`)
    })

    it('a purge takes several files, and leaves the others', async () => {
      const [one, other, kept] = [share(), share(), share()]
      for (const file of [one, other, kept]) await read(file)
      one.version++
      other.version++
      await served().edge.purge([one.id, other.id])
      for (const file of [one, other, kept]) await read(file)
      expect([one.fetches, other.fetches, kept.fetches]).toEqual([2, 2, 1])
    })
  })
}

function races({ share, get, read, replace, served }: Tools): void {
  describe('purge at the same time as', () => {
    it('the old copy does not come back after a purge during a fetch for which svc has looked up the file', async () => {
      const { gate, open } = closedGate()
      const file = share({ gate })
      const old = read(file)
      await vi.waitFor(() => expect(file.lookups).toBe(1))
      file.gate = free
      await replace(file)
      open()
      expect(await old).toBe(`file ${String(file.id)}, old`)
      for (let again = 0; again < 3; again++) expect(await read(file)).toBe(`file ${String(file.id)}, new`)
    })

    it('the old copy does not come back after a purge during a fetch whose bytes are arriving', async () => {
      const { gate: lastGate, open } = closedGate()
      const file = share({ lastGate })
      const old = read(file)
      await vi.waitFor(() => expect(file.fetches).toBe(1))
      file.lastGate = free
      await replace(file)
      expect(await read(file)).toBe(`file ${String(file.id)}, new`)
      open()
      expect(await old).toBe(`file ${String(file.id)}, old`)
      expect(await read(file)).toBe(`file ${String(file.id)}, new`)
    })

    it('a client gets all bytes of a file that is unshared and purged during its download, the next one gets 404', async () => {
      const file = share({ content: Buffer.alloc(4_000_000, 'x') })
      await read(file)
      const answer = await get(file)
      answer.pause()
      file.isShared = false
      file.version++
      await served().edge.purge([file.id])
      expect(await read(file)).toBe('There is nothing at this address.\n')
      expect(await buffer(answer)).toHaveLength(file.content.length)
    })
  })
}

function manyRaces({ share, read, served }: Tools): void {
  it('many requests and many purges at the same time: no answer is older than the last purge before its request', async () => {
    const file = share()
    file.content = Buffer.from('1')
    let [confirmed, isDone] = [1, false]
    const early: string[] = []
    const client = async () => {
      while (!isDone) {
        const atLeast = confirmed
        const found = Number(await read(file))
        if (found < atLeast) early.push(`${String(found)} after the purge of ${String(atLeast)}`)
      }
    }
    const clients = Array.from({ length: 8 }, client)
    while (file.version < 100) {
      file.content = Buffer.from(String(++file.version))
      await served().edge.purge([file.id])
      confirmed = file.version
    }
    isDone = true
    await Promise.all(clients)
    expect(early).toEqual([])
  })
}

function fills({ share, get, read }: Tools): void {
  describe('fills', () => {
    it('100 requests at the same time cause one fetch', async () => {
      const { gate, open } = closedGate()
      const file = share({ lastGate: gate })
      const texts = Promise.all(Array.from({ length: 100 }, () => read(file)))
      await sleep(300)
      open()
      expect(new Set(await texts)).toEqual(new Set([`file ${String(file.id)}, old`]))
      expect(file.fetches).toBe(1)
    })

    it('a client that leaves does not end the fill for the others', async () => {
      const { gate, open } = closedGate()
      const file = share({ lastGate: gate })
      const leaving = new AbortController()
      const left = get(file, { signal: leaving.signal })
        .then(text)
        .catch(() => 'left')
      await sleep(100)
      const other = read(file)
      leaving.abort()
      await sleep(100)
      open()
      expect(await left).toBe('left')
      expect(await other).toBe(`file ${String(file.id)}, old`)
      expect(file.fetches).toBe(1)
    })

    it('a fill that fails leaves nothing: the next request fetches again', async () => {
      const failing = Promise.reject(new Error('disk'))
      failing.catch(() => undefined)
      const file = share({ lastGate: failing })
      // An error answer, or an answer that breaks off.
      const answer = await get(file).catch(() => undefined)
      const isWhole =
        answer?.statusCode === 200 &&
        (await text(answer).then(
          () => true,
          () => false,
        ))
      expect(isWhole).toBe(false)
      file.lastGate = free
      expect(await read(file)).toBe(`file ${String(file.id)}, old`)
    })
  })
}

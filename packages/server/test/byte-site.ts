import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import { expect, vi } from 'vitest'
import { ApiError, areas } from '@svc/contract'
import { noLimits } from '../src/shared/account-limits.js'
import { operatorActor } from '../src/shared/actor.js'
import { connect } from '../src/db/connect.js'
import { Download, type DownloadContent } from '../src/http/answer.js'
import type { ByteHandler, ByteLimits, StagedInput } from '../src/http/handler.js'
import type { Mounted } from '../src/http/mount.js'
import { RunningHandlers } from '../src/http/running-handlers.js'
import { createServer } from '../src/http/server.js'
import { defaultDeadlines, type Deadlines } from '../src/http/slow-clients.js'
import { openDiskBlobs } from '../src/ports/blobs/disk/disk-blobs.js'
import { BlobIntake } from '../src/ports/blobs/intake.js'
import { writerOf, type Blobs } from '../src/ports/blobs/port.js'

/** A server with the operations of files that transfer bytes, with handlers of the test. Disk store and database are real. */
export interface ByteSite {
  readonly url: string
  readonly port: number
  readonly blobs: Blobs
  readonly running: RunningHandlers
  readonly log: string[]
  /** What the handlers have received, with the stored bytes. */
  readonly received: { readonly body: object; readonly bytes: Buffer; readonly sha256: string }[]
  /** How the next requests are handled. */
  readonly behaviour: Behaviour
  /** Calls of the intake that end the care for an object. */
  readonly settled: ReturnType<typeof vi.fn>
  readonly discarded: ReturnType<typeof vi.fn>
  /** Every object in the store, also unfinished ones. Without the one that names the owner of the store. */
  readonly objects: () => Promise<string[]>
  /** Waits until all handlers have ended. Checks that the store is empty and that no object was left to the sweep. */
  readonly expectNothingKept: () => Promise<void>
  /** Ends all connections, like a server that stops after its period of grace. */
  readonly cutOff: () => void
  readonly stop: () => Promise<void>
}

export interface Behaviour {
  /** Of each request. */
  limit: () => Promise<ByteLimits['request']>
  /** Called with the checked input, before the object is kept. */
  handle: (input: { readonly body: object }) => Promise<void>
  /** Called at each authentication. @returns whether the token is valid */
  isTokenValid: () => boolean
  download: DownloadContent | undefined
}

const usual = (): Behaviour => ({
  limit: () => Promise.resolve({ max: Infinity, reason: 'never' }),
  handle: () => Promise.resolve(),
  isTokenValid: () => true,
  download: undefined,
})

const caller = {
  account: {
    id: 1,
    email: 'ada@example.org',
    nickname: 'Ada',
    createdAt: 0,
    limits: noLimits,
    actor: operatorActor('test'),
  },
  scopes: ['*' as const],
  session: null,
  tokenId: null,
}

export async function startByteSite(deadlines: Deadlines = defaultDeadlines): Promise<ByteSite> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bytes-'))
  const database = await connect({ kind: 'sqlite', file: join(folder, 'svc.db') }, () => undefined)
  const blobs = await openDiskBlobs(join(folder, 'blobs'))
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) })
  const intake = new BlobIntake(database, blobs, logger)
  const settled = vi.spyOn(intake, 'settle')
  const discarded = vi.spyOn(intake, 'discard')
  const running = new RunningHandlers()
  const received: ByteSite['received'] = []
  const behaviour = usual()
  const { upload, uploadChunk, download } = areas.files
  const door = {
    identify: () =>
      behaviour.isTokenValid() ? Promise.resolve(caller) : Promise.reject(new ApiError('unauthorized', 'Revoked.')),
  }

  const handlerOf = (op: typeof upload | typeof uploadChunk): Mounted => {
    const handler = {
      limit: async (): Promise<ByteLimits> => ({
        request: await behaviour.limit(),
        account: { max: Infinity, reason: () => 'never' },
      }),
      handle: async (input: StagedInput<typeof upload | typeof uploadChunk>) => {
        await behaviour.handle(input)
        const { key, size, sha256, keep } = input.bytes
        const bytes = size === 0 ? Buffer.alloc(0) : await buffer(await blobs.open(key, { first: 0, last: size - 1 }))
        received.push({ body: input.body, bytes, sha256 })
        keep()
        return op.example.data
      },
    }
    return { op, path: op.path, door, handler: handler as unknown as ByteHandler<never> }
  }

  const { api: http } = createServer(
    [
      handlerOf(upload),
      handlerOf(uploadChunk),
      { op: download, path: download.path, door, handler: () => new Download(behaviour.download as DownloadContent) },
    ],
    {
      log: logger,
      metrics: undefined,
      running,
      intake,
      deadlines,
      routes: [],
      isProxied: false,
      content: [],
      endpoints: [],
      hosts: { content: 'content.localhost', sitesDomain: 'localhost', publicUrl: undefined },
      trusted: () => false,
      connections: { max: 0, perNetwork: 0 },
      ping: () => Promise.resolve(),
    },
  )
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo

  const objects = async () => {
    const keys: string[] = []
    for await (const { key } of blobs.list()) if (writerOf(key) !== undefined) keys.push(key)
    return keys
  }
  return {
    port,
    blobs,
    running,
    log,
    received,
    behaviour,
    settled,
    discarded,
    objects,
    url: `http://127.0.0.1:${String(port)}`,
    expectNothingKept: async () => {
      await vi.waitFor(() => expect(running.count).toBe(0), { timeout: 5_000 })
      expect(await objects()).toEqual([])
      // Only an object with a row is settled.
      expect(settled).not.toHaveBeenCalled()
    },
    cutOff: () => {
      http.server.closeAllConnections()
    },
    stop: async () => {
      http.server.closeAllConnections()
      await http.close()
      await running.idle(AbortSignal.timeout(5_000))
      await intake.close()
      await database.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** Puts a site back to its state after the start. */
export async function resetByteSite(site: ByteSite): Promise<void> {
  await vi.waitFor(() => expect(site.running.count).toBe(0), { timeout: 5_000 })
  Object.assign(site.behaviour, usual())
  site.received.length = 0
  site.settled.mockClear()
  site.discarded.mockClear()
  for (const key of await site.objects()) await site.blobs.remove(key)
}

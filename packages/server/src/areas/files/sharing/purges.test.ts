import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { directEdge } from '../../../../test/direct-edge.js'
import { rememberPurges } from '../../../../test/purge-units.js'
import { fileStorage, noLimits, type FileStorage } from '../../../../test/file-storage.js'
import type { Handler } from '../../../http/handler.js'
import { EdgeError, type Edge } from '../../../ports/edge/port.js'
import { unlimitedSpace } from '../../../ports/space/port.js'
import { filesArea } from '../area.js'
import { fileStore } from '../files/store.js'
import { cdnStore } from './cdn-store.js'
import { purgeStore } from './purge-store.js'
import { newShareKey } from '../files/file.js'

/** Which changes drop the copies of the edge, and what a request answers if the edge does not confirm it. */

type Given = Record<string, unknown>

describe.each(databaseKinds)('copies at the edge on %s', (kind) => {
  let site: FileStorage
  /** The files that were purged, by request. */
  let purged: number[][]
  let failure: Error | undefined
  let whilePurging: (() => Promise<void>) | undefined
  let area: ReturnType<typeof filesArea>
  beforeAll(async () => {
    site = await fileStorage(kind)
    const edge: Edge = {
      ...directEdge,
      purge: async (ids) => {
        if (failure !== undefined) throw failure
        purged.push([...ids])
        await whilePurging?.()
      },
    }
    const { db: database, blobs, intake } = site
    const log = pino({ level: 'silent' })
    const ports = { database, blobs, intake, edge, space: unlimitedSpace, log }
    area = filesArea({ ...ports, limits: noLimits, contentUrl: 'http://content.example' })
  })
  afterAll(() => site.stop())
  beforeEach(() => {
    purged = []
    failure = undefined
    whilePurging = undefined
  })

  const account = () => site.people[0]!
  const create = (shareKey: string | null = newShareKey()) =>
    fileStore(site.db, noLimits).create(account(), {
      name: 'a.txt',
      mediaType: 'text/plain',
      shareKey,
      size: 0,
      sha256: 'x',
      blob: null,
    })
  const get = (id: number) => fileStore(site.db, noLimits).get(account(), id)

  const handlers = {
    update: () => area.files.handlers.update,
    rename: () => area.files.handlers.rename,
    delete: () => area.files.handlers.delete,
    config: () => area.cdn.handlers.config,
    purge: () => area.cdn.handlers.purge,
  }
  const call = async (name: keyof typeof handlers, body: Given): Promise<unknown> =>
    (handlers[name]() as Handler<object>)({ params: {}, query: {}, body }, { account: account() } as never)

  const changes: [string, keyof typeof handlers, Given][] = [
    ['another name', 'rename', { name: 'b.txt' }],
    ['another type', 'update', { media_type: 'text/css' }],
    ['the end of sharing', 'update', { shared: false }],
    ['another time to live', 'config', { edge_ttl: 5 }],
    ['the end of serving', 'config', { serving: false }],
    ['a purge', 'purge', {}],
    ['a deletion', 'delete', {}],
  ]

  it.each(changes)('%s of a shared file drops its copies', async (_, name, body) => {
    const { id } = await create()
    await call(name, { id, ...body })
    expect(purged).toEqual([[id]])
  })

  it.each(changes.filter(([, name]) => name !== 'config' && name !== 'purge'))(
    '%s of a file that was never shared does not reach the edge',
    async (_, name, body) => {
      const { id } = await create(null)
      await call(name, { id, ...body })
      expect(purged).toEqual([])
    },
  )

  it('the first share does not reach the edge', async () => {
    const { id } = await create(null)
    await call('update', { id, shared: true })
    expect(purged).toEqual([])
  })

  const unconfirmed = () => purgeStore(site.db).unconfirmed(0, 1_000)
  const repeat = async (signal = new AbortController().signal) => {
    await area.cdn.jobs!.find(({ name }) => name === 'cdn.unconfirmed-purges')!.run(signal)
  }

  describe.each(changes)('if the edge does not confirm %s', (_, name, body) => {
    let id: number
    beforeEach(async () => {
      ;({ id } = await create())
      failure = new EdgeError('The cache does not answer.')
      await expect(call(name, { id, ...body })).rejects.toMatchObject({
        code: 'upstream_error',
        message:
          'The change is saved, but the cache may still serve the file as before: The cache does not answer. The server repeats the purge until the cache confirms it.',
      })
    })

    it('the change is saved, and the origin obeys it at once', async () => {
      if (name === 'delete') await expect(get(id)).rejects.toMatchObject({ code: 'not_found' })
      else expect((await get(id)).edgeVersion).toBe(2)
      failure = undefined
      await repeat()
    })

    it('the purge is repeated until the edge confirms it, and then no more', async () => {
      expect(await unconfirmed()).toEqual([{ fileId: id, version: 2 }])
      await expect(repeat()).rejects.toBe(failure)
      failure = undefined
      await repeat()
      await repeat()
      expect(purged).toEqual([[id]])
      expect(await unconfirmed()).toEqual([])
    })

    if (name !== 'delete')
      it('the request can be repeated', async () => {
        failure = undefined
        await call(name, { id, ...body })
        expect(purged).toEqual([[id]])
        expect(await unconfirmed()).toEqual([])
      })
  })

  it('a confirmed purge is not repeated', async () => {
    const { id } = await create()
    for (const [, name, body] of changes) {
      const outcome = await call(name, { id, ...body }).catch((error: unknown) => error)
      // A file that is no longer shared has no settings at the edge.
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'bad_request' })
    }
    purged = []
    await repeat()
    expect(purged).toEqual([])
  })

  it('a file that changes while it is purged is purged again', async () => {
    const { id } = await create()
    await cdnStore(site.db).purge(account(), id)
    whilePurging = async () => {
      whilePurging = undefined
      await cdnStore(site.otherDb).purge(account(), id)
    }
    await repeat()
    expect(await unconfirmed()).toEqual([{ fileId: id, version: 3 }])
    await repeat()
    expect([purged, await unconfirmed()]).toEqual([[[id], [id]], []])
  })

  it('many purges go to the edge 64 at a time, until the server stops', async () => {
    await site.otherDb.write(rememberPurges, 1_000_001, 150)
    const stopping = new AbortController()
    whilePurging = async () => stopping.abort()
    await repeat(stopping.signal)
    expect(purged.map(({ length }) => length)).toEqual([64])
    whilePurging = undefined
    await repeat()
    expect(purged.map(({ length }) => length)).toEqual([64, 64, 22])
    expect(new Set(purged.flat()).size).toBe(150)
    expect(await unconfirmed()).toEqual([])
  })

  it('another error of the edge is not shown to the caller', async () => {
    const { id } = await create()
    failure = new TypeError('a bug')
    await expect(call('purge', { id })).rejects.toBe(failure)
  })
})

import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { fileStorage, noLimits, type FileStorage } from '../../../../test/file-storage.js'
import type { Handler } from '../../../http/handler.js'
import { directEdge } from '../../../ports/edge/direct-edge.js'
import { EdgeError, type Edge } from '../../../ports/edge/port.js'
import { filesArea } from '../area.js'
import { fileStore } from '../files/store.js'
import { newShareKey } from './share-key.js'

/** Which changes drop the copies of the edge, and what a request answers if the edge does not confirm it. */

type Given = Record<string, unknown>

describe.each(databaseKinds)('copies at the edge on %s', (kind) => {
  let site: FileStorage
  /** The files that were purged, by request. */
  let purged: number[][]
  let failure: Error | undefined
  let area: ReturnType<typeof filesArea>
  beforeAll(async () => {
    site = await fileStorage(kind)
    const edge: Edge = {
      ...directEdge,
      purge: async (ids) => {
        if (failure !== undefined) throw failure
        purged.push([...ids])
      },
    }
    const { db: database, blobs, intake } = site
    const log = pino({ level: 'silent' })
    area = filesArea({ database, blobs, intake, edge, log, limits: noLimits, contentUrl: 'http://content.example' })
  })
  afterAll(() => site.stop())
  beforeEach(() => {
    purged = []
    failure = undefined
  })

  const account = () => site.people[0]!
  const create = (shareKey: string | null = newShareKey()) =>
    fileStore(site.db, noLimits).create(account(), {
      ...{ name: 'a.txt', mediaType: 'text/plain', shareKey, size: 0, sha256: 'x', blob: null },
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
    (handlers[name]() as Handler<object>)({ params: {}, query: {}, body } as never, { account: account() } as never)

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

  it.each(changes)(
    '502 upstream_error if the edge does not confirm %s; the change is saved, and the request can be repeated',
    async (_, name, body) => {
      const { id } = await create()
      failure = new EdgeError('The cache does not answer.')
      await expect(call(name, { id, ...body })).rejects.toMatchObject({
        code: 'upstream_error',
        message:
          'The change is saved, but the cache may still serve the file as before: The cache does not answer. Repeat the request.',
      })
      const changed = await get(id)
      expect(changed.edgeVersion).toBe(2)
      if (name === 'delete') expect(changed.shareKey).toBeNull()
      failure = undefined
      await call(name, { id, ...body })
      expect(purged).toEqual([[id]])
      if (name === 'delete') await expect(get(id)).rejects.toMatchObject({ code: 'not_found' })
    },
  )

  it('another error of the edge is not shown to the caller', async () => {
    const { id } = await create()
    failure = new TypeError('a bug')
    await expect(call('purge', { id })).rejects.toBe(failure)
  })
})

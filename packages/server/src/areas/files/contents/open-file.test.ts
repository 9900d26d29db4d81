import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { addParts } from '../../../../test/blob-units.js'
import { noLimits } from '../../../../test/file-storage.js'
import { uploadSite, type UploadSite } from '../../../../test/upload-steps.js'
import type { Database } from '../../../db/port.js'
import { asStream } from '../../../ports/blobs/port.js'
import type { StoredFile } from '../files/file.js'
import { fileStore } from '../files/store.js'
import { openFile } from './open-file.js'

/** A file of many parts, read from its rows and objects. */

const count = 300

describe.each(databaseKinds)('a file of 300 parts on %s', { timeout: 60_000 }, (kind) => {
  let site: UploadSite
  let file: StoredFile
  let whole: string
  beforeAll(async () => {
    site = await uploadSite(kind)
    site.newAccount()
    ;({ file, whole } = await upload())
  }, 120_000)
  afterAll(() => site.stop())

  /** Parts of 1 to 3 bytes, and an empty one. */
  async function upload() {
    const contents = Array.from({ length: count }, (_, i) => String(i).padStart(30, '-'))
    const { uploadId } = await site.add(null, count, '')
    await site.db.write(addParts, uploadId, await Promise.all(contents.map(site.put)))
    return { file: await site.finalize({ uploadId, parts: count + 1 }), whole: contents.join('') }
  }

  it('a file has all bytes in their order', async () => {
    expect(await site.contents(file)).toBe(whole)
  })

  it.each([
    ['the first byte', 0, 0, [1]],
    ['the last byte', -1, -1, [1]],
    ['the end of a part and the start of the next', 29, 30, [2]],
    ['everything', 0, -1, [256, 44]],
  ])('reads only the rows of the parts with %s, 256 at a time', async (_, first, last, expected) => {
    const rows: number[] = []
    const all: Database['all'] = async (query, params) => {
      const found = await site.db.all(query, params)
      rows.push(found.length)
      return found
    }
    const at = (place: number) => (place < 0 ? whole.length + place : place)
    const range = { first: at(first), last: at(last) }
    const read = await text(asStream(await openFile({ all } as Database, site.blobs)(file, range)))
    expect(read).toBe(whole.slice(range.first, range.last + 1))
    expect(rows).toEqual(expected)
  })

  it('fails if it is deleted while it is read, also before its objects are removed', async () => {
    const { file: deleted } = await upload()
    const stream = asStream(await openFile(site.db, site.blobs)(deleted, { first: 0, last: deleted.size - 1 }))
    await once(stream, 'readable')
    const { blobs } = await fileStore(site.db, noLimits).remove(site.account(), deleted.id)
    await expect(buffer(stream)).rejects.toThrow('The file has been deleted.')
    expect(blobs).toHaveLength(count)
  })
})

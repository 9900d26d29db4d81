import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { noLimits } from '../../../../test/file-storage.js'
import { binDetails, uploadSite, type UploadSite } from '../../../../test/upload-steps.js'
import { prepared } from '../../../db/prepared.js'
import type { Blobs } from '../../../ports/blobs/port.js'
import { Digests } from '../contents/digest.js'
import { fileStore } from '../files/store.js'
import { uploadLifetimeMs } from './upload-row-store.js'

/** Uploads in parts, from the first part to the file. */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const refusal = (code: string, message: string | RegExp) => ({
  code,
  message: typeof message === 'string' ? message : expect.stringMatching(message),
})

const uploadRow = prepared((db, p: { id: number }) =>
  db.selectFrom('upload').where('id', '=', p.id).select('expires_at'),
)
const blobRow = prepared((db, p: { key: string }) => db.selectFrom('blob').where('key', '=', p.key).select('size'))

describe.each(databaseKinds)('uploads on %s', (kind) => {
  let site: UploadSite
  beforeAll(async () => {
    site = await uploadSite(kind)
  })
  afterAll(() => site.stop())

  it('parts in any order become a file with all bytes in the order of their indexes', async () => {
    site.newAccount()
    const { uploadId, received } = await site.add(null, 10, 'c')
    expect(received).toEqual([10])
    expect((await site.add(uploadId, 0, 'aa')).received).toEqual([0, 10])
    for (let index = 9; index > 0; index--) await site.add(uploadId, index, 'b')
    expect(await site.usage()).toEqual({ files: 0, shared: 0, bytes: 12, uploads: 1, objects: 11 })
    const whole = `aa${'b'.repeat(9)}c`
    const file = await site.finalize({ uploadId, parts: 11, sha256: sha256(whole).toUpperCase() })
    expect(file).toMatchObject({
      ...binDetails,
      accountId: site.account().id,
      size: 12,
      sha256: sha256(whole),
      edgeVersion: 0,
    })
    expect(await site.contents(file)).toBe(whole)
    expect(await site.usage()).toEqual({ files: 1, shared: 0, bytes: 12, uploads: 0, objects: 11 })
    expect((await fileStore(site.db, noLimits).remove(site.account(), file.id)).blobs).toHaveLength(11)
    expect(await site.usage()).toMatchObject({ objects: 0 })
  })

  it('a part with the same index replaces the earlier one, whose object is removed', async () => {
    site.newAccount()
    const { uploadId, key } = await site.add(null, 0, 'old part')
    const again = await site.add(uploadId, 0, 'new')
    expect(again).toMatchObject({ received: [0], replaced: [key] })
    await expect.poll(site.stored).not.toContain(key)
    expect(await site.db.one(blobRow, { key })).toBeUndefined()
    expect(await site.usage()).toMatchObject({ bytes: 3 })
    const file = await site.finalize({ uploadId, parts: 1 })
    expect(await site.contents(file)).toBe('new')
  })

  it('empty parts are left out, and their objects are removed', async () => {
    site.newAccount()
    const { uploadId, key } = await site.add(null, 0, '')
    await site.add(uploadId, 1, 'x')
    const file = await site.finalize({ uploadId, parts: 2 })
    expect(await site.contents(file)).toBe('x')
    await expect.poll(site.stored).not.toContain(key)
    const empty = await site.add(null, 0, '')
    expect(await site.finalize({ uploadId: empty.uploadId, parts: 1 })).toMatchObject({ size: 0, sha256: sha256('') })
    expect(await site.usage()).toEqual({ files: 2, shared: 0, bytes: 1, uploads: 0, objects: 2 })
  })

  it('a part moves the end of the upload to a day later', async () => {
    site.newAccount()
    const { uploadId } = await site.add(null, 0, 'x')
    const first = (await site.db.one(uploadRow, { id: uploadId }))!
    expect(Math.abs(first.expires_at - Date.now() - uploadLifetimeMs)).toBeLessThan(60_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await site.add(uploadId, 1, 'y')
    expect((await site.db.one(uploadRow, { id: uploadId }))!.expires_at).toBeGreaterThan(first.expires_at)
  })

  describe('finalize', () => {
    it('a repeated finalize answers with the same file, and 404 not_found after its deletion', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'x')
      const file = await site.finalize({ uploadId, parts: 1 })
      expect(await site.finalize({ uploadId, parts: 1, details: { ...binDetails, name: 'other' } })).toEqual(file)
      for (const expected of [sha256('x'), sha256('x').toUpperCase()])
        expect(await site.finalize({ uploadId, parts: 1, sha256: expected })).toEqual(file)
      await expect(site.finalize({ uploadId, parts: 1, sha256: sha256('y') })).rejects.toMatchObject(
        refusal(
          'bad_request',
          `sha256 is ${sha256('y')}, but the upload is finished, and its file ${file.id} has ${sha256('x')}.`,
        ),
      )
      site.intake.remove((await fileStore(site.db, noLimits).remove(site.account(), file.id)).blobs)
      await expect(site.finalize({ uploadId, parts: 1 })).rejects.toMatchObject(
        refusal('not_found', `There is no file ${file.id}.`),
      )
      await expect(site.add(uploadId, 0, 'y')).rejects.toMatchObject(
        refusal('bad_request', /^upload_id names a finished/),
      )
    })

    it('400 bad_request for missing parts, and the upload can go on', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 1, 'b')
      await expect(site.finalize({ uploadId, parts: 2 })).rejects.toMatchObject(refusal('bad_request', /missing: 0\.$/))
      await site.add(uploadId, 0, 'a')
      expect(await site.finalize({ uploadId, parts: 2 })).toMatchObject({ sha256: sha256('ab') })
    })

    it('400 bad_request for another SHA-256 with both values, and the parts are kept', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'b')
      const wrong = sha256('a')
      await expect(site.finalize({ uploadId, parts: 1, sha256: wrong })).rejects.toMatchObject(
        refusal(
          'bad_request',
          `sha256 is ${wrong}, but the parts have ${sha256('b')}. The parts are kept: send the wrong ones again.`,
        ),
      )
      await site.add(uploadId, 0, 'a')
      expect(await site.finalize({ uploadId, parts: 1, sha256: wrong })).toMatchObject({ sha256: wrong })
    })

    it('counts a file that is shared', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'b')
      const shareKey = `${kind}-finalize`
      const file = await site.finalize({ uploadId, parts: 1, details: { ...binDetails, shareKey } })
      expect(file).toMatchObject({ shareKey, edgeVersion: 1 })
      expect(await site.usage()).toMatchObject({ shared: 1 })
    })

    /** A blob store that replaces part 0 before each read of it. */
    const replacing = (uploadId: number, times: number): Blobs => ({
      ...site.blobs,
      open: async (key, range) => {
        if (times-- > 0) await site.add(uploadId, 0, `new ${times}`)
        return site.blobs.open(key, range)
      },
    })

    it('hashes again if a part is replaced meanwhile', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'old')
      const file = await site.finalize({ uploadId, parts: 1 }, replacing(uploadId, 2))
      expect(file.sha256).toBe(sha256('new 0'))
      expect(await site.contents(file)).toBe('new 0')
    })

    it('hashes again if a part is replaced after it has been read', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'old')
      let isReplaced = false
      const afterwards: Blobs = {
        ...site.blobs,
        open: async (key, range) => {
          const stream = await site.blobs.open(key, range)
          if (!isReplaced) await site.add(uploadId, 0, 'new')
          isReplaced = true
          return stream
        },
      }
      expect((await site.finalize({ uploadId, parts: 1 }, afterwards)).sha256).toBe(sha256('new'))
    })

    it('400 bad_request if a part is replaced again and again', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'old')
      await expect(site.finalize({ uploadId, parts: 1 }, replacing(uploadId, 3))).rejects.toMatchObject(
        refusal('bad_request', /^upload_id names an upload whose parts are still being replaced/),
      )
      expect((await site.finalize({ uploadId, parts: 1 })).sha256).toBe(sha256('new 0'))
    })

    /** A blob store that counts its reads. */
    const counting = () => {
      const counted: Blobs & { reads: number } = {
        ...site.blobs,
        reads: 0,
        open: (key, range) => {
          counted.reads++
          return site.blobs.open(key, range)
        },
      }
      return counted
    }

    it('finalizes at the same time make one file, and read the parts once', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'a')
      await site.add(uploadId, 1, 'b')
      const [blobs, digests] = [counting(), new Digests()]
      const files = await Promise.all(
        Array.from({ length: 20 }, () => site.finalize({ uploadId, parts: 2 }, blobs, digests)),
      )
      expect(new Set(files.map(({ id }) => id)).size).toBe(1)
      expect(blobs.reads).toBe(2)
    })

    it('finalizes with another SHA-256 read the parts once, until a part is replaced', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'a')
      await site.add(uploadId, 1, 'b')
      const [blobs, digests] = [counting(), new Digests()]
      const finalize = (text: string) => site.finalize({ uploadId, parts: 2, sha256: sha256(text) }, blobs, digests)
      for (const wrong of ['x', 'y']) await expect(finalize(wrong)).rejects.toMatchObject({ code: 'bad_request' })
      expect(blobs.reads).toBe(2)
      await site.add(uploadId, 1, 'c')
      await expect(finalize('ab')).rejects.toMatchObject({ message: expect.stringContaining(sha256('ac')) })
      expect(await finalize('ac')).toMatchObject({ sha256: sha256('ac') })
      expect(blobs.reads).toBe(4)
    })

    it('a finalize that waits while another process finishes the upload answers with its file, and reads no part', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'x')
      const [blobs, digests] = [counting(), new Digests()]
      let release: (text: undefined) => void = () => undefined
      const released = new Promise<undefined>((resolve) => (release = resolve))
      let isWaiting = false
      // Another file of the account is being hashed.
      const earlier = digests.of(site.account().id, {
        blobs,
        fingerprint: 'other',
        parts: () => {
          isWaiting = true
          return released
        },
      })
      await vi.waitFor(() => expect(isWaiting).toBe(true))
      const of = vi.spyOn(digests, 'of')
      const waiting = site.finalize({ uploadId, parts: 1 }, blobs, digests)
      await vi.waitFor(() => expect(of).toHaveBeenCalled())
      const file = await site.finalize({ uploadId, parts: 1 })
      release(undefined)
      expect(await waiting).toEqual(file)
      await earlier
      expect(blobs.reads).toBe(0)
    })

    it('a finalize fails if an object is missing', async () => {
      site.newAccount()
      const { uploadId, key } = await site.add(null, 0, 'x')
      await site.blobs.remove(key)
      await expect(site.finalize({ uploadId, parts: 1 })).rejects.toThrow('A stored file cannot be read')
    })
  })

  describe('ownership', () => {
    it('403 forbidden for an upload of another account, 404 not_found for an unknown one', async () => {
      site.newAccount()
      const { uploadId } = await site.add(null, 0, 'x')
      site.newAccount()
      await expect(site.add(uploadId, 0, 'y')).rejects.toMatchObject({ code: 'forbidden' })
      await expect(site.finalize({ uploadId, parts: 1 })).rejects.toMatchObject({ code: 'forbidden' })
      await expect(site.add(987_654_321, 0, 'y')).rejects.toMatchObject({ code: 'not_found' })
      await expect(site.finalize({ uploadId: 987_654_321, parts: 1 })).rejects.toMatchObject({ code: 'not_found' })
    })
  })
})

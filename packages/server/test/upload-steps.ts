import { buffer } from 'node:stream/consumers'
import { openFile } from '../src/areas/files/contents/open-file.js'
import { Digests } from '../src/areas/files/contents/digest.js'
import type { StorageLimits } from '../src/areas/files/storage/limits.js'
import { usageStore, type Usage } from '../src/areas/files/storage/usage-store.js'
import { finalizer, type Finalization } from '../src/areas/files/uploads/finalize.js'
import { finishStore } from '../src/areas/files/uploads/finish-store.js'
import { partStore } from '../src/areas/files/uploads/part-store.js'
import type { StoredFile } from '../src/areas/files/files/file.js'
import { asStream, type Blobs } from '../src/ports/blobs/port.js'
import type { Account } from '../src/shared/account.js'
import type { DatabaseKind } from './app.js'
import { fileStorage, noLimits, type FileStorage } from './file-storage.js'

/** The steps of an upload as its handlers take them, without HTTP. All act for the current account. */
export interface UploadSite extends FileStorage {
  readonly account: () => Account
  /** Continues with an account that has no files. */
  readonly newAccount: () => void
  readonly add: (uploadId: number | null, index: number, content: string, limits?: StorageLimits) => Promise<AddedPart>
  readonly finalize: (
    given: Partial<Finalization> & Pick<Finalization, 'uploadId' | 'parts'>,
    blobs?: Blobs,
    digests?: Digests,
  ) => Promise<StoredFile>
  readonly usage: () => Promise<Usage>
  readonly contents: (file: StoredFile) => Promise<string>
}

interface AddedPart {
  readonly uploadId: number
  readonly received: readonly number[]
  readonly replaced: readonly string[]
  readonly key: string
}

export const binDetails = { name: 'a.bin', mediaType: 'application/octet-stream', shareKey: null }

export async function uploadSite(kind: DatabaseKind): Promise<UploadSite> {
  const site = await fileStorage(kind)
  let nextAccount = 0
  const account = () => site.people[nextAccount] as Account
  const removeBlobs = (keys: readonly string[]) => {
    site.intake.remove(keys)
  }
  return {
    ...site,
    account,
    newAccount: () => {
      nextAccount++
    },
    add: async (uploadId, index, content, limits = noLimits) => {
      const { key, size } = await site.put(content)
      const added = await partStore(site.db, limits).add(account(), { uploadId, index, blob: key, size })
      site.intake.settle(key)
      removeBlobs(added.replaced)
      return { ...added, key }
    },
    finalize: (given, blobs = site.blobs, digests = new Digests()) =>
      finalizer({ uploads: finishStore(site.db), blobs, digests, removeBlobs })(account(), {
        sha256: undefined,
        details: binDetails,
        ...given,
      }),
    usage: () => usageStore(site.db).of(account()),
    contents: async (file) =>
      (await buffer(asStream(await openFile(site.db, site.blobs)(file, { first: 0, last: file.size - 1 })))).toString(),
  }
}

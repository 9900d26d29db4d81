import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import { newDetails } from '../files/details.js'
import { fileToJson } from '../files/presenter.js'
import type { FilesDependencies } from '../dependencies.js'
import { pageKey } from '../../../shared/page.js'
import { timestamp } from '../../../shared/timestamp.js'
import { byteLimits, requireFileSize, requireRoom, storageLimitsOf, type StorageLimits } from '../storage/limits.js'
import { usageStore, type Usage } from '../storage/usage-store.js'
import { finalizer } from './finalize.js'
import { finishStore } from './finish-store.js'
import { openUploadStore, type OpenUpload } from './open-upload-store.js'
import { partStore } from './part-store.js'
import { uploadLifetimeMs } from './upload-row-store.js'

export type UploadHandlers = Pick<
  Handlers<Areas['files']>,
  'uploadChunk' | 'uploadFinalize' | 'uploadList' | 'uploadDiscard'
>

/** Refuses the first part of a file that the account cannot take. @throws ApiError `bad_request` */
function requireDeclarable(used: Usage, size: number, limits: StorageLimits): void {
  requireFileSize(size, limits, 'size')
  requireRoom(used, size, limits, 'size')
}

const uploadToJson = ({ id, size, parts, bytes, expiresAt }: OpenUpload) => ({
  upload_id: id,
  size,
  received_bytes: bytes,
  parts,
  updated_at: timestamp(expiresAt - uploadLifetimeMs),
  expires_at: timestamp(expiresAt),
})

/** Large uploads in parts (specification, section 4.5). */
export function uploadHandlers({ database, limits: settings, contentUrl, ...rest }: FilesDependencies): UploadHandlers {
  const usage = usageStore(database)
  const parts = partStore(database, settings)
  const open = openUploadStore(database)
  const finalize = finalizer({ uploads: finishStore(database), ...rest })

  /** @returns undefined for a further part; 0 if the fields of the part are not known yet */
  async function replacedBytes(account: Account, uploadId?: number, index?: number): Promise<number | undefined> {
    if (index === undefined) return 0
    return uploadId === undefined ? undefined : parts.sizeOf(account, { uploadId, index })
  }

  return {
    uploadChunk: {
      limit: async ({ account }, { upload_id: uploadId, index, size }) => {
        const replaced = await replacedBytes(account, uploadId, index)
        const used = await usage.of(account)
        const limits = storageLimitsOf(account, settings)
        // The bytes of earlier parts are counted already: `add` looks at them.
        if (uploadId === undefined && size !== undefined) requireDeclarable(used, size, limits)
        return byteLimits(used, limits, replaced)
      },
      handle: async ({ body, bytes }, { account }) => {
        const { upload_id: uploadId = null, index, size: fileSize } = body
        const added = await parts.add(account, { uploadId, index, blob: bytes.key, size: bytes.size, fileSize })
        bytes.keep()
        rest.removeBlobs(added.replaced)
        return { upload_id: added.uploadId, index, size: bytes.size, received: [...added.received] }
      },
    },

    async uploadFinalize({ body }, { account }) {
      const { upload_id: uploadId, parts, sha256 } = body
      const file = await finalize(account, { uploadId, parts, sha256, details: newDetails(body) })
      return fileToJson(contentUrl, file)
    },

    async uploadList({ query }, { account }) {
      const [page, { uploads: total }] = await Promise.all([open.list(account, pageKey(query)), usage.of(account)])
      return { uploads: page.entries.map(uploadToJson), next: page.next, total }
    },

    async uploadDiscard({ body: { upload_id: id } }, { account }) {
      rest.removeBlobs(await open.discard(account, id))
      return { upload_id: id, discarded: true }
    },
  }
}

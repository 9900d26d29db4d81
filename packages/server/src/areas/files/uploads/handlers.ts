import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import { newDetails } from '../files/details.js'
import { fileToJson } from '../files/presenter.js'
import type { FilesParts } from '../parts.js'
import { byteLimits } from '../storage/limits.js'
import { usageStore } from '../storage/usage-store.js'
import { finalizer } from './finalize.js'
import { finishStore } from './finish-store.js'
import { partStore } from './part-store.js'

type UploadHandlers = Pick<Handlers<Areas['files']>, 'uploadChunk' | 'uploadFinalize'>

/** Large uploads in parts (specification, section 4.5). */
export function uploadHandlers({ database, limits, contentUrl, ...rest }: FilesParts): UploadHandlers {
  const usage = usageStore(database)
  const parts = partStore(database, limits)
  const finalize = finalizer({ uploads: finishStore(database), ...rest })

  /** @returns undefined for a further part; 0 if the fields of the part are not known yet */
  async function replacedBytes(account: Account, uploadId?: number, index?: number): Promise<number | undefined> {
    if (index === undefined) return 0
    return uploadId === undefined ? undefined : parts.sizeOf(account, { uploadId, index })
  }

  return {
    uploadChunk: {
      limit: async ({ account }, { upload_id: uploadId, index }) => {
        const replaced = await replacedBytes(account, uploadId, index)
        return byteLimits(await usage.of(account), limits, replaced)
      },
      handle: async ({ body, bytes }, { account }) => {
        const { upload_id: uploadId = null, index } = body
        const added = await parts.add(account, { uploadId, index, blob: bytes.key, size: bytes.size })
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
  }
}

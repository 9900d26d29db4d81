import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { pathId } from '../../../shared/path-id.js'
import type { Account } from '../../../shared/account.js'
import { openFile } from '../contents/contents.js'
import type { FilesParts } from '../parts.js'
import { edgeCopies } from '../sharing/edge-copies.js'
import { newShareKey } from '../sharing/share-key.js'
import { byteLimit } from '../storage/limits.js'
import { pageKey } from '../storage/page.js'
import { useStore } from '../storage/use-store.js'
import type { FileChanges } from './changes.js'
import { newDetails } from './details.js'
import { downloadOf } from './download.js'
import { fileToJson, type ShownFile } from './json.js'
import { fileList } from './list-store.js'
import { checkName } from './name.js'
import { fileStore } from './store.js'

type FileHandlers = Omit<Handlers<Areas['files']>, 'uploadChunk' | 'uploadFinalize'>

/** Personal files (specification, section 4.5). */
export function fileHandlers(parts: FilesParts): FileHandlers {
  const { database, blobs, removeBlobs, edge, limits, contentUrl } = parts
  const files = fileStore(database, limits)
  const use = useStore(database)
  const list = fileList(database)
  const open = openFile(database, blobs)
  const copies = edgeCopies(edge)
  const toJson = (file: ShownFile) => fileToJson(contentUrl, file)

  async function change(account: Account, id: number, changes: FileChanges) {
    const file = await files.change(account, id, changes)
    await copies.drop(file)
    return toJson(file)
  }

  return {
    async list({ query }, { account }) {
      const [page, { files: total }] = await Promise.all([list(account, pageKey(query)), use.of(account)])
      return { files: page.entries.map(toJson), next: page.next, total }
    },

    get: async ({ params }, { account }) => toJson(await files.get(account, pathId(params.id))),

    async download({ query }, { account }) {
      const file = await files.get(account, query.id)
      return downloadOf(file, { disposition: 'attachment', open: (range) => open(file.id, range) })
    },

    upload: {
      limit: async ({ account }) => byteLimit(await use.of(account), limits),
      handle: async ({ body, bytes }, { account }) => {
        const { key, size, sha256 } = bytes
        const isEmpty = size === 0
        const file = await files.create(account, { ...newDetails(body), size, sha256, blob: isEmpty ? null : key })
        if (!isEmpty) bytes.keep()
        return toJson(file)
      },
    },

    async update({ body }, { account }) {
      const { id, name, shared, media_type: mediaType } = body
      return change(account, id, {
        ...(name !== undefined && { name: checkName(name) }),
        ...(mediaType !== undefined && { mediaType }),
        ...(shared !== undefined && { shareKey: shared ? newShareKey() : null }),
      })
    },

    rename: ({ body }, { account }) => change(account, body.id, { name: checkName(body.name) }),

    async delete({ body: { id } }, { account }) {
      const file = await files.get(account, id)
      // Unshared first: if the edge fails, the file is still there, and the deletion can be repeated.
      if (file.edgeVersion > 0) await copies.drop(await files.change(account, id, { shareKey: null }))
      removeBlobs(await files.remove(account, id))
      return { id, deleted: true }
    },
  }
}

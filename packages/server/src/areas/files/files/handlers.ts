import { hash } from 'node:crypto'
import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { requirePathId } from '../../../shared/path-id.js'
import type { Account } from '../../../shared/account.js'
import { smallFileMax } from '../contents/open-file.js'
import type { FilesDependencies } from '../dependencies.js'
import { edgeCopies } from '../sharing/edge-copies.js'
import { purgeStore } from '../sharing/purge-store.js'
import { newShareKey, type FileChanges } from './file.js'
import { byteLimits, storageLimitsOf } from '../storage/limits.js'
import { pageKey } from '../../../shared/page.js'
import { refuseInvisible } from '../../../shared/visible-text.js'
import type { UsageHandlers } from '../storage/handlers.js'
import { usageStore } from '../storage/usage-store.js'
import { newDetails } from './details.js'
import { checkName } from './name.js'
import { downloadOf, fileToJson, type ListedFile } from './presenter.js'
import { fileList } from './read-store.js'
import type { UploadHandlers } from '../uploads/handlers.js'
import { fileSearch } from './search-store.js'
import { fileStore } from './store.js'

type FileHandlers = Omit<Handlers<Areas['files']>, keyof UploadHandlers | keyof UsageHandlers>

/** Personal files (specification, section 4.5). */
export function fileHandlers(dependencies: FilesDependencies): FileHandlers {
  const { database, open, removeBlobs, edge, limits, contentUrl } = dependencies
  const files = fileStore(database, limits)
  const usage = usageStore(database)
  const list = fileList(database)
  const search = fileSearch(database)
  const copies = edgeCopies(edge, purgeStore(database))
  const toJson = (file: ListedFile) => fileToJson(contentUrl, file)

  async function change(account: Account, id: number, changes: FileChanges) {
    const file = await files.change(account, id, changes)
    await copies.drop(file)
    return toJson(file)
  }

  return {
    async list({ query }, { account }) {
      const { search: text, kind, shared } = query
      if (text !== undefined || kind !== undefined || shared !== undefined) {
        if (text !== undefined) refuseInvisible('search', text)
        const { page, total } = await search(account, { text, kind, shared }, pageKey(query))
        return { files: page.entries.map(toJson), next: page.next, total }
      }
      const [page, { files: total }] = await Promise.all([list(account, pageKey(query)), usage.of(account)])
      return { files: page.entries.map(toJson), next: page.next, total }
    },

    get: async ({ params }, { account }) => toJson(await files.get(account, requirePathId(params.id, 'file'))),

    async download({ query }, { account }) {
      const file = await files.get(account, query.id)
      return downloadOf(file, { disposition: 'attachment', open: (range) => open(file, range) })
    },

    upload: {
      limit: async ({ account }) => byteLimits(await usage.of(account), storageLimitsOf(account, limits)),
      handle: async ({ body, bytes }, { account }) => {
        const { key, size, sha256 } = bytes
        const file = await files.create(account, { ...newDetails(body), size, sha256, blob: key })
        bytes.keep()
        return toJson(file)
      },
      small: {
        maxBytes: smallFileMax,
        handle: async ({ body, bytes }, { account }) => {
          const content = { size: bytes.length, sha256: hash('sha256', bytes), blob: null, bytes }
          return toJson(await files.create(account, { ...newDetails(body), ...content }))
        },
      },
    },

    update: async ({ body }, { account }) => change(account, body.id, suppliedChanges(body)),

    rename: ({ body }, { account }) => change(account, body.id, { name: checkName(body.name) }),

    async delete({ body: { id } }, { account }) {
      const { blobs: keys, edgeVersion } = await files.remove(account, id)
      removeBlobs(keys)
      await copies.drop({ id, edgeVersion })
      return { id, deleted: true }
    },
  }
}

interface Supplied {
  readonly name?: string
  readonly shared?: boolean
  readonly media_type?: string
}

const suppliedChanges = ({ name, shared, media_type: mediaType }: Supplied): FileChanges => ({
  ...(name !== undefined && { name: checkName(name) }),
  ...(mediaType !== undefined && { mediaType }),
  ...(shared !== undefined && { shareKey: shared ? newShareKey() : null }),
})

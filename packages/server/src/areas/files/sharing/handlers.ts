import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { shareUrl } from '../files/presenter.js'
import type { FilesDependencies } from '../dependencies.js'
import { pageKey } from '../../../shared/page.js'
import { usageStore } from '../storage/usage-store.js'
import { cdnStore, type EdgeFile } from './cdn-store.js'
import { edgeCopies } from './edge-copies.js'
import { purgeStore } from './purge-store.js'

/** How the edge serves shared files (specification, section 4.5). */
export function cdnHandlers({ database, edge, contentUrl }: FilesDependencies): Handlers<Areas['cdn']> {
  const files = cdnStore(database)
  const usage = usageStore(database)
  const copies = edgeCopies(edge, purgeStore(database))
  const toJson = (file: EdgeFile) => edgeFileToJson(contentUrl, file)
  return {
    async stats({ query }, { account }) {
      const [page, { shared: total }] = await Promise.all([files.list(account, pageKey(query)), usage.of(account)])
      return { files: page.entries.map(toJson), next: page.next, total }
    },

    async config({ body: { id, edge_ttl: edgeTtl, serving: isServed } }, { account }) {
      const file = await files.configure(account, id, {
        ...(edgeTtl !== undefined && { edgeTtl }),
        ...(isServed !== undefined && { isServed }),
      })
      await copies.drop(file)
      return toJson(file)
    },

    async purge({ body: { id } }, { account }) {
      await copies.drop({ id, edgeVersion: await files.purge(account, id) })
      return { id, purged: true }
    },
  }
}

const edgeFileToJson = (contentUrl: string, { id, name, shareKey, edgeTtl, isServed, traffic }: EdgeFile) => ({
  id,
  name,
  share_url: shareUrl(contentUrl, shareKey, name),
  edge_ttl: edgeTtl,
  serving: isServed,
  requests: traffic.requests,
  hits: traffic.hits,
  misses: traffic.misses,
  bytes_served: traffic.bytesServed,
})

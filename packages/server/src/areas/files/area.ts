import type { Logger } from 'pino'
import type { Area } from '../../http/area.js'
import type { BlobIntake } from '../../ports/blobs/intake.js'
import { Digests } from './contents/digest.js'
import { openFile } from './contents/open-file.js'
import { fileHandlers } from './files/handlers.js'
import { previewHandler } from './files/preview.js'
import { servedLink, sharedFile } from './files/read-store.js'
import { newestNamed } from './files/search-store.js'
import type { FilesDependencies } from './dependencies.js'
import { shareRoute } from './sharing/content-route.js'
import { purgeJob } from './sharing/edge-copies.js'
import { cdnHandlers } from './sharing/handlers.js'
import { LinksInMemory } from './sharing/links-in-memory.js'
import { purgeStore } from './sharing/purge-store.js'
import { filesOverview } from './storage/overview.js'
import { usageHandlers } from './storage/handlers.js'
import { trafficRetentionJob } from './sharing/traffic-day-store.js'
import { trafficCounter, trafficNotSaved, trafficStore } from './sharing/traffic-store.js'
import { expiryJob, expiryStore } from './uploads/expiry-store.js'
import { uploadHandlers } from './uploads/handlers.js'

interface FilesAreaDependencies extends Omit<FilesDependencies, 'open' | 'removeBlobs' | 'digests'> {
  readonly intake: BlobIntake
  readonly log: Logger
}

/** Files, their sharing, and how the edge serves them: two areas of the contract with one table. */
export function filesArea({ intake, log, ...ports }: FilesAreaDependencies): {
  files: Area<'files'>
  cdn: Area<'cdn'>
} {
  const digests = new Digests()
  const dependencies: FilesDependencies = {
    ...ports,
    open: openFile(ports.database, ports.blobs),
    digests,
    removeBlobs: (keys) => {
      intake.remove(keys)
    },
  }
  const { database, open, edge, removeBlobs } = dependencies
  const traffic = trafficCounter(trafficStore(database).add)
  const { count } = traffic
  const links = new LinksInMemory({ edge, servedLink: servedLink(database), count })
  return {
    files: {
      handlers: { ...fileHandlers(dependencies), ...uploadHandlers(dependencies), ...usageHandlers(dependencies) },
      console: { files: previewHandler(dependencies) },
      overview: filesOverview(dependencies),
      search: newestNamed(database),
      content: [shareRoute({ edge, open, sharedFile: sharedFile(database), links, count })],
      jobs: [expiryJob(expiryStore(database), removeBlobs)],
      stop: () => {
        digests.close()
      },
    },
    cdn: {
      handlers: cdnHandlers(dependencies),
      jobs: [traffic.job, trafficRetentionJob(database), purgeJob(edge, purgeStore(database))],
      close: () =>
        traffic.flush().catch((error: unknown) => {
          log.error({ err: error }, trafficNotSaved)
        }),
    },
  }
}

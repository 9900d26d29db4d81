import type { Logger } from 'pino'
import type { Area } from '../../http/area.js'
import type { BlobIntake } from '../../ports/blobs/intake.js'
import { artifactStore } from './downloads/artifact-store.js'
import { artifactRoute } from './downloads/content-route.js'
import { downloadCounter, downloadsNotSaved } from './downloads/count-store.js'
import { latestRoutes } from './downloads/latest-route.js'
import { packageHandlers } from './handlers.js'
import { usageStore } from './storage/usage-store.js'
import type { PackagesDependencies } from './dependencies.js'
import { packageSearch } from './search-store.js'

interface PackagesAreaDependencies extends Omit<PackagesDependencies, 'removeBlobs'> {
  readonly intake: Pick<BlobIntake, 'remove'>
  readonly log: Logger
}

/** Packages: versions that never change, and their downloads. */
export function packagesArea({ intake, log, ...ports }: PackagesAreaDependencies): Area<'packages'> {
  const { database, blobs } = ports
  const artifacts = artifactStore(database)
  const usage = usageStore(database)
  const { count, flush, job } = downloadCounter(database)
  return {
    handlers: packageHandlers({
      ...ports,
      removeBlobs: (keys) => {
        intake.remove(keys)
      },
    }),
    overview: async (account) => ({ packages: (await usage.of(account)).packages }),
    search: packageSearch(database),
    content: [artifactRoute({ blobs, artifacts, count })],
    endpoints: latestRoutes(artifacts),
    jobs: [job],
    close: () =>
      flush().catch((error: unknown) => {
        log.error({ err: error }, downloadsNotSaved)
      }),
  }
}

import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import type { BlobIntake } from '../../ports/blobs/intake.js'
import type { Blobs } from '../../ports/blobs/port.js'
import { Deployer, type ParseRules } from './deploy/deployer.js'
import type { SiteLimits } from './limits.js'
import type { SitesParts } from './parts.js'
import { siteHandlers } from './sites/handlers.js'
import type { ReservedNames } from './sites/names.js'
import type { SiteUrl } from './sites/presenter.js'
import { siteReadStore } from './sites/read-store.js'
import { siteStore } from './sites/store.js'
import { cleanUpJob } from './versions/clean-up.js'
import { cleanUpStore } from './versions/clean-up-store.js'
import { contentStore } from './versions/content-store.js'
import { versionHandlers } from './versions/handlers.js'
import { versionStore } from './versions/version-store.js'

interface SitesAreaParts {
  readonly database: Database
  readonly blobs: Blobs
  readonly intake: BlobIntake
  readonly limits: SiteLimits
  readonly reserved: ReservedNames
  readonly urlOf: SiteUrl
}

/** No site has rules. */
const parseRules: ParseRules = () => ({ headers: [], redirects: [] })

/** Static sites. */
export function sitesArea(ports: SitesAreaParts): Area<'sites'> {
  const { database, blobs, intake, limits } = ports
  const sites = siteStore(database, limits)
  const contents = contentStore(database, limits)
  const deployer = new Deployer({
    ...{ blobs, intake, limits, contents, sites, parseRules },
    versions: versionStore(database),
  })
  const parts: SitesParts = {
    ...{ ...ports, sites, deployer },
    siteReads: siteReadStore(database, limits),
    changed: () => undefined,
  }
  const removeBlobs = (keys: readonly string[]) => {
    intake.remove(keys)
  }
  return {
    handlers: siteHandlers(parts),
    console: { sites: versionHandlers(parts) },
    jobs: [cleanUpJob(cleanUpStore(database), removeBlobs)],
    stop: () => {
      deployer.close()
    },
  }
}

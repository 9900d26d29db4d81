import { countChanges } from '../../db/change-clock-store.js'
import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import type { BlobIntake } from '../../ports/blobs/intake.js'
import type { Blobs } from '../../ports/blobs/port.js'
import { Deployer } from './deploy/deployer.js'
import type { SiteLimits } from './limits.js'
import type { SitesParts } from './parts.js'
import { parseRules } from './rules/rules.js'
import { ContentsInMemory } from './serving/contents-in-memory.js'
import { Sites } from './serving/site-server.js'
import { servingStore } from './serving/store.js'
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
  /** In lower case, without a trailing dot. */
  readonly sitesDomain: string
}

/** Static sites. */
export function sitesArea(ports: SitesAreaParts): Area<'sites'> {
  const { database, blobs, intake, limits, sitesDomain } = ports
  const sites = siteStore(database, limits)
  const contents = contentStore(database, limits)
  const deployer = new Deployer({
    ...{ blobs, intake, limits, contents, sites, parseRules },
    versions: versionStore(database),
  })
  const served = new Sites({
    ...{ store: servingStore(database), contents: new ContentsInMemory(blobs), sitesDomain },
    countChanges: () => countChanges(database, 'sites'),
  })
  const parts: SitesParts = {
    ...{ ...ports, sites, deployer },
    siteReads: siteReadStore(database, limits),
    changed: () => {
      served.noteChange()
    },
  }
  const removeBlobs = (keys: readonly string[]) => {
    intake.remove(keys)
  }
  return {
    handlers: siteHandlers(parts),
    console: { sites: versionHandlers(parts) },
    sites: served,
    jobs: [cleanUpJob(cleanUpStore(database), removeBlobs), served.job],
    stop: () => {
      deployer.close()
    },
  }
}

import { countChanges } from '../../db/change-clock-store.js'
import { keyedMutex } from '../../db/keyed-mutex.js'
import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import type { BlobIntake } from '../../ports/blobs/intake.js'
import type { Blobs } from '../../ports/blobs/port.js'
import type { HostRecords } from '../../shared/host-records.js'
import { Deployer } from './deploy/deployer.js'
import { askRoute } from './domains/ask-route.js'
import { domainHandlers, domainsRemoval, siteOfDomain } from './domains/handlers.js'
import type { ServerNames } from './domains/host.js'
import { domainStore } from './domains/store.js'
import type { SiteLimits } from './limits.js'
import type { SitesDependencies } from './dependencies.js'
import { parseRules } from './rules/rules.js'
import { ContentsInMemory } from './serving/contents-in-memory.js'
import { Sites } from './serving/site-server.js'
import { servingStore } from './serving/store.js'
import { siteHandlers } from './sites/handlers.js'
import type { ReservedNames } from './sites/names.js'
import type { SiteUrl } from './sites/presenter.js'
import { sitesOverview } from './sites/overview-store.js'
import { siteReadStore } from './sites/read-store.js'
import { siteSearch } from './sites/search-store.js'
import { siteStore } from './sites/store.js'
import { cleanUpJob } from './versions/clean-up.js'
import { cleanUpStore } from './versions/clean-up-store.js'
import { compactionJob } from './versions/compaction.js'
import { compactionStore } from './versions/compaction-store.js'
import { contentStore } from './versions/content-store.js'
import { versionHandlers } from './versions/handlers.js'
import { versionStore } from './versions/version-store.js'

interface SitesAreaDependencies {
  readonly database: Database
  readonly blobs: Blobs
  readonly intake: BlobIntake
  readonly limits: SiteLimits
  readonly reserved: ReservedNames
  readonly urlOf: SiteUrl
  readonly names: ServerNames
  /** Hosts of the API and the content host. */
  readonly servedHosts: readonly string[]
  readonly hostRecords: HostRecords
  /** IP addresses of the server for DNS records; empty for CNAMEs. */
  readonly addresses: readonly string[]
}

/** Static sites. */
export function sitesArea(ports: SitesAreaDependencies): Area<'sites'> {
  const { database, blobs, intake, limits, names } = ports
  const sites = siteStore(database, limits)
  const siteReads = siteReadStore(database, limits)
  const contents = contentStore(database, limits)
  const deployer = new Deployer({
    blobs,
    intake,
    limits,
    contents,
    sites,
    parseRules,
    versions: versionStore(database),
  })
  const served = new Sites({
    store: servingStore(database),
    contents: new ContentsInMemory(blobs),
    sitesDomain: names.sitesDomain,
    countChanges: () => countChanges(database, 'sites'),
  })
  const changed = () => {
    served.noteChange()
  }
  const domainParts = { ...ports, domains: domainStore(database), changed, withHost: keyedMutex() }
  const dependencies: SitesDependencies = {
    ...ports,
    sites,
    deployer,
    siteReads,
    removeDomains: domainsRemoval(domainParts),
    changed,
  }
  return {
    handlers: { ...siteHandlers(dependencies), ...versionHandlers(dependencies), ...domainHandlers(domainParts) },
    overview: sitesOverview(database, siteReads),
    search: siteSearch(database),
    thingNames: { host: siteOfDomain(domainParts) },
    routes: [askRoute({ servedHosts: ports.servedHosts, hasSite: served.hasSite })],
    sites: served,
    jobs: [
      cleanUpJob(cleanUpStore(database), intake),
      compactionJob({ store: compactionStore(database), blobs, intake }),
      served.job,
    ],
    stop: () => {
      deployer.close()
    },
  }
}

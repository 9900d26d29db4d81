import type { Account } from '../../shared/account.js'
import type { Deployer } from './deploy/deployer.js'
import type { SiteLimits } from './limits.js'
import type { ReservedNames } from './sites/names.js'
import type { SiteUrl } from './sites/presenter.js'
import type { SiteReadStore } from './sites/read-store.js'
import type { SiteStore } from './sites/store.js'

/** What the handlers of sites need. */
export interface SitesDependencies {
  readonly sites: SiteStore
  readonly siteReads: SiteReadStore
  readonly deployer: Deployer
  readonly limits: SiteLimits
  readonly reserved: ReservedNames
  readonly urlOf: SiteUrl
  /** Removes the domains of a site with their DNS records. */
  readonly removeDomains: (account: Account, name: string) => Promise<void>
  /** Called after each change of what a site serves. */
  readonly changed: () => void
}

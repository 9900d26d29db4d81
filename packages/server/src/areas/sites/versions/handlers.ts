import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import type { SitesDependencies } from '../dependencies.js'
import { siteToJson, versionToJson } from '../sites/presenter.js'

/** The kept versions of a site. */
export function versionHandlers(
  dependencies: SitesDependencies,
): Pick<Handlers<Areas['sites']>, 'versions' | 'restore'> {
  const { sites, siteReads, urlOf, changed } = dependencies
  return {
    async versions({ query: { name } }, { account }) {
      const { site, versions } = await siteReads.versions(account, name)
      return { versions: versions.map((version) => versionToJson(version, site.versionId)) }
    },
    async restore({ body: { name, version } }, { account }) {
      const site = await sites.restore(account, name, version)
      changed()
      return siteToJson(urlOf, site)
    },
  }
}

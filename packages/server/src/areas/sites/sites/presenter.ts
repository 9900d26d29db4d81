import { timestamp } from '../../../shared/timestamp.js'
import type { KeptVersion } from './read-store.js'
import type { StoredSite } from './site.js'

/** The address of a site, by its name. */
export type SiteUrl = (name: string) => string

/** A site in the API's answers. */
export const siteToJson = (urlOf: SiteUrl, site: StoredSite) => ({
  id: site.id,
  name: site.name,
  url: urlOf(site.name),
  files: site.files,
  size: site.size,
  deployed_at: timestamp(site.deployedAt),
  created_at: timestamp(site.createdAt),
})

/** A version in the answers of the console. @param served the id of the version that the site serves */
export const versionToJson = ({ id, number, files, size, deployedAt }: KeptVersion, served: number) => ({
  version: id,
  number,
  current: id === served,
  files,
  size,
  deployed_at: timestamp(deployedAt),
})

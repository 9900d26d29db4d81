import { timestamp } from '../../shared/timestamp.js'
import type { StoredArtifact, StoredPackage } from './package.js'
import type { ListedVersion } from './versions/read-store.js'

/** What the API shows of a package. */
export type ListedPackage = Pick<
  StoredPackage,
  'slug' | 'name' | 'description' | 'versions' | 'downloads' | 'createdAt' | 'updatedAt'
>

/** A package in the API's answers. */
export const packageToJson = (of: ListedPackage) => ({
  slug: of.slug,
  name: of.name,
  description: of.description,
  versions: of.versions,
  downloads: of.downloads,
  created_at: timestamp(of.createdAt),
  updated_at: timestamp(of.updatedAt),
})

/** The folder of a package's downloads. @param contentUrl the origin of downloads */
export const packageFolder = (contentUrl: string, slug: string): string => `${contentUrl}/p/${slug}/`

/** A version as it was published. */
export interface PublishedVersion {
  readonly version: string
  readonly downloads: number
  /** Milliseconds since the epoch. */
  readonly publishedAt: number
  readonly artifacts: readonly StoredArtifact[]
}

/** A version in the API's answers. @param contentUrl the origin of downloads */
export const versionToJson = (contentUrl: string, slug: string, of: PublishedVersion) => ({
  version: of.version,
  published_at: timestamp(of.publishedAt),
  downloads: of.downloads,
  artifacts: of.artifacts.map((artifact) =>
    artifactToJson(`${packageFolder(contentUrl, slug)}${of.version}`, artifact),
  ),
})

/** Writes a version as JSON, with the fields of `versionToJson`. A version needs no escapes. */
export const listedVersionJson = ({ version, publishedAt, downloads, artifacts }: ListedVersion): string =>
  `{"version":"${version}","published_at":"${timestamp(publishedAt)}","downloads":${String(downloads)},"artifacts":${artifacts}}`

/** Slugs, versions and names have only characters that a path takes as they are. */
const artifactToJson = (folder: string, { name, size, sha256, downloads }: StoredArtifact) => ({
  name,
  size,
  sha256,
  url: `${folder}/${name}`,
  downloads,
})

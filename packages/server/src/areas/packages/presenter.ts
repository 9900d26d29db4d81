import { timestamp } from '../../shared/timestamp.js'
import type { StoredArtifact, StoredPackage } from './package.js'
import type { StoredVersion } from './versions/read-store.js'

/** A package in the API's answers. */
export const packageToJson = (of: StoredPackage) => ({
  slug: of.slug,
  name: of.name,
  description: of.description,
  versions: of.versions,
  downloads: of.downloads,
  created_at: timestamp(of.createdAt),
  updated_at: timestamp(of.updatedAt),
})

/** A version in the API's answers. @param contentUrl the origin of downloads */
export const versionToJson = (contentUrl: string, slug: string, of: StoredVersion) => ({
  version: of.version,
  published_at: timestamp(of.publishedAt),
  downloads: of.downloads,
  artifacts: of.artifacts.map((artifact) => artifactToJson(`${contentUrl}/p/${slug}/${of.version}`, artifact)),
})

/** Slugs, versions and names have only characters that a path takes as they are. */
const artifactToJson = (folder: string, { name, size, sha256, downloads }: StoredArtifact) => ({
  ...{ name, size, sha256 },
  url: `${folder}/${name}`,
  downloads,
})

import type { Database } from '../../db/port.js'
import type { BlobKey, Blobs } from '../../ports/blobs/port.js'
import type { PackageLimits } from './storage/limits.js'

/** What the handlers and downloads of packages need. */
export interface PackagesDependencies {
  readonly database: Database
  readonly blobs: Blobs
  /** Removes objects whose rows have been deleted, in the background. */
  readonly removeBlobs: (keys: readonly BlobKey[]) => void
  readonly limits: PackageLimits
  /** The origin of downloads. */
  readonly contentUrl: string
}

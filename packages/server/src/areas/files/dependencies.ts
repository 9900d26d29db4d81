import type { Database } from '../../db/port.js'
import type { BlobKey, Blobs } from '../../ports/blobs/port.js'
import type { Edge } from '../../ports/edge/port.js'
import type { DiskSpace } from '../../ports/space/port.js'
import type { Digests } from './contents/digest.js'
import type { OpenFile } from './contents/open-file.js'
import type { StorageLimits } from './storage/limits.js'

/** What the handlers of files and of the edge need. */
export interface FilesDependencies {
  readonly database: Database
  readonly blobs: Blobs
  readonly open: OpenFile
  /** Removes objects whose rows have been deleted, in the background. */
  readonly removeBlobs: (keys: readonly BlobKey[]) => void
  readonly digests: Digests
  readonly edge: Edge
  readonly limits: StorageLimits
  readonly space: DiskSpace
  /** The origin of share links. */
  readonly contentUrl: string
}

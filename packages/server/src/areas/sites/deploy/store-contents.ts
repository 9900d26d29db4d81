import type { BlobIntake } from '../../../ports/blobs/intake.js'
import type { Account } from '../../../shared/account.js'
import { TimeSlices } from '../../../shared/time-slices.js'
import type { CheckedFile } from '../archive/check-archive.js'
import { ArchiveWindow, type ArchiveBytes } from '../archive/window.js'
import { requireRoom, siteLimitsOf, type SiteLimits } from '../limits.js'
import type { ContentStore } from '../versions/content-store.js'
import { PackedContents } from './packed-contents.js'

/**
 * How much is put into one object, in bytes of the files and in files. Each object costs an fsync or a request to S3, and stays while
 * a single one of its contents is in use.
 */
const packBytes = 8 * 1024 * 1024
const packFiles = 2_000

/** How many digests are looked up at a time. */
const digestsAtOnce = 1_000

interface StoreDependencies {
  readonly contents: ContentStore
  readonly intake: Pick<BlobIntake, 'put' | 'settle' | 'discard'>
  readonly limits: SiteLimits
}

/**
 * Stores the contents that the account does not have yet, and keeps the others for the deploy.
 * @throws ApiError `bad_request` beyond the limit of the account; StorageError
 */
export async function storeContents(
  { contents, intake, limits }: StoreDependencies,
  account: Account,
  archive: ArchiveBytes,
  files: readonly CheckedFile[],
  signal: AbortSignal,
): Promise<void> {
  const missing = await missingContents(contents, account, files)
  const growth = missing.reduce((sum, { size }) => sum + size, 0)
  requireRoom(await contents.use(account), growth, siteLimitsOf(account, limits))
  const window = new ArchiveWindow(archive)
  const slices = new TimeSlices(signal)
  for (const pack of packsOf(missing)) {
    signal.throwIfAborted()
    const packed = new PackedContents(window, pack, slices)
    const blob = await intake.put(packed)
    let isKept = false
    try {
      isKept = await contents.add(account, blob, packed.contents)
    } finally {
      if (isKept) intake.settle(blob.key)
      else await intake.discard(blob.key)
    }
  }
}

/** One file for each content that is not stored, in the order of the archive. */
async function missingContents(
  contents: ContentStore,
  account: Account,
  files: readonly CheckedFile[],
): Promise<CheckedFile[]> {
  const missing = new Map<string, CheckedFile>()
  for (const file of files) if (!missing.has(file.sha256)) missing.set(file.sha256, file)
  const digests = [...missing.keys()]
  for (let at = 0; at < digests.length; at += digestsAtOnce)
    for (const known of await contents.claim(account, digests.slice(at, at + digestsAtOnce))) missing.delete(known)
  return [...missing.values()]
}

/** Divides contents into those of one object each. A large one is alone. */
function packsOf(files: readonly CheckedFile[]): CheckedFile[][] {
  const packs: CheckedFile[][] = []
  let room = 0
  for (const file of files) {
    const pack = packs.at(-1)
    if (pack === undefined || file.size > room || pack.length === packFiles) {
      packs.push([file])
      room = packBytes - file.size
    } else {
      pack.push(file)
      room -= file.size
    }
  }
  return packs
}

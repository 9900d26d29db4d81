import type { BlobIntake } from '../../../ports/blobs/intake.js'
import { StorageError, type Blobs } from '../../../ports/blobs/port.js'
import type { Account } from '../../../shared/account.js'
import { KeyedSlots } from '../../../shared/slots.js'
import { checkArchive, type CheckedArchive, type CheckedFile } from '../archive/check-archive.js'
import type { ArchiveBytes } from '../archive/window.js'
import { archiveLimits, siteLimitsOf, type SiteLimits } from '../limits.js'
import type { StoredSite } from '../sites/site.js'
import type { SiteStore } from '../sites/store.js'
import type { ContentStore } from '../versions/content-store.js'
import type { VersionStore } from '../versions/version-store.js'
import { storeContents } from './store-contents.js'

/** How many sites are deployed at the same time, and how many more may wait. Each keeps a thread or two busy. */
const deploys = { running: 2, waiting: 1_000 }
const deploysOfAccount = { running: 1, waiting: 1_000 }

/** How long a deploy waits for others in all, and how long it may take afterwards, in milliseconds. Contents are kept for longer. */
const defaultTimes = { waitMs: 60_000, deployMs: 10 * 60_000 }

/** How many files of a version are added in one unit of work. */
const filesAtOnce = 1_000

/** Reads the rules of a site. @throws ApiError `bad_request` with the file and the line */
export type ParseRules = (files: Pick<CheckedArchive, 'headers' | 'redirects'>) => object

/** The site after a deploy. */
export interface DeployedSite extends StoredSite {
  /** Files and folders of the archive that no site serves, a bounded list. */
  readonly skipped: readonly string[]
}

export interface DeployerDependencies {
  readonly blobs: Blobs
  readonly intake: Pick<BlobIntake, 'put' | 'settle' | 'discard'>
  readonly limits: SiteLimits
  readonly contents: ContentStore
  readonly versions: VersionStore
  readonly sites: SiteStore
  readonly parseRules: ParseRules
}

/** Turns archives into versions of sites. One archive of an account at a time, so that an account does not keep the others waiting. */
export class Deployer {
  /** By the id of the account. */
  readonly #slots = new KeyedSlots<number>({ all: deploys, each: deploysOfAccount, busy })
  readonly #stopping = new AbortController()

  /** @param times tests use shorter ones */
  constructor(
    private readonly dependencies: DeployerDependencies,
    private readonly times = defaultTimes,
  ) {}

  /**
   * Publishes the files of an archive. The site is unchanged until all of them are stored.
   * @param archive an object in the blob store
   * @throws ApiError `bad_request` for an archive that is refused or beyond a limit; `forbidden` for a name of another account;
   *   StorageError also if too many sites are being deployed
   */
  async deploy(account: Account, name: string, archive: { key: string; size: number }): Promise<DeployedSite> {
    const { blobs } = this.dependencies
    const bytes = { size: archive.size, open: blobs.open.bind(blobs, archive.key) }
    return this.#slots.run(account.id, performance.now() + this.times.waitMs, () =>
      this.#withDeadline((signal) => this.#publish(account, name, bytes, signal)),
    )
  }

  /** Ends all running deploys with a StorageError, for the stop of the server. */
  close(): void {
    this.#stopping.abort()
  }

  async #withDeadline<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const deadline = AbortSignal.timeout(this.times.deployMs)
    const signal = AbortSignal.any([this.#stopping.signal, deadline])
    try {
      signal.throwIfAborted()
      return await work(signal)
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error
      throw deadline.aborted ? late(this.times.deployMs) : stopping()
    }
  }

  async #publish(account: Account, name: string, bytes: ArchiveBytes, signal: AbortSignal): Promise<DeployedSite> {
    const { limits, versions, sites, parseRules } = this.dependencies
    const archive = await checkArchive(bytes, archiveLimits(siteLimitsOf(account, limits)), signal)
    const { files } = archive
    const rules = JSON.stringify(parseRules(archive))
    await storeContents(this.dependencies, account, bytes, files, signal)
    const size = files.reduce((sum, file) => sum + file.size, 0)
    const versionId = await versions.begin(account, { files: files.length, size, rules })
    for (const batch of batchesOf(files)) {
      signal.throwIfAborted()
      await versions.addFiles(account, versionId, batch)
    }
    return { ...(await sites.publish(account, name, versionId)), skipped: archive.skipped }
  }
}

function* batchesOf(files: readonly CheckedFile[]) {
  for (let at = 0; at < files.length; at += filesAtOnce)
    yield files.slice(at, at + filesAtOnce).map(({ path, sha256 }) => ({ path, sha256 }))
}

const busy = () => new StorageError('Too many sites are being deployed at the moment. Repeat the request.')

const stopping = () => new StorageError('The server is stopping. Repeat the request: the site is unchanged.')

const late = (ms: number) =>
  new StorageError(`The deploy took more than ${ms / 60_000} minutes, and was given up: the site is unchanged.`)

import { buffer } from 'node:stream/consumers'
import { Deployer, type DeployerDependencies } from '../src/areas/sites/deploy/deployer.js'
import type { SiteLimits } from '../src/areas/sites/limits.js'
import { siteReadStore } from '../src/areas/sites/sites/read-store.js'
import { siteStore, type SiteStore } from '../src/areas/sites/sites/store.js'
import type { StoredSite } from '../src/areas/sites/sites/site.js'
import { cleanUp } from '../src/areas/sites/versions/clean-up.js'
import { cleanUpStore } from '../src/areas/sites/versions/clean-up-store.js'
import { contentStore } from '../src/areas/sites/versions/content-store.js'
import { versionStore } from '../src/areas/sites/versions/version-store.js'
import type { Database } from '../src/db/port.js'
import type { Account } from '../src/shared/account.js'
import type { DatabaseKind } from './app.js'
import { buildZip, type BuiltEntry } from './built-zip.js'
import { fileStorage, type FileStorage } from './file-storage.js'
import { runSql } from './site.js'

/** Deploys on a real database and disk, without a server. */

export const siteLimits: SiteLimits = { sitesMax: 3, siteBytesMax: 0, siteFilesMax: 20_000, bytesMax: 0 }

/** The files of a site, by path. */
export type Files = Readonly<Record<string, string | Buffer>>

export const entriesOf = (files: Files): BuiltEntry[] => Object.entries(files).map(([name, data]) => ({ name, data }))

export interface SiteStorage extends FileStorage {
  readonly sites: SiteStore
  readonly sql: (statement: string) => Promise<Record<string, unknown>[]>
  /** Deploys from one of the two processes. */
  readonly deploy: (account: Account, name: string, files: Files, other?: boolean) => Promise<StoredSite>
  readonly deployZip: (deployer: Deployer, account: Account, name: string, zip: Buffer) => Promise<StoredSite>
  readonly deployer: (changes?: Partial<DeployerDependencies>, db?: Database) => Deployer
  /** The files that a site serves, by path, as text. */
  readonly served: (account: Account, name: string) => Promise<Record<string, string>>
  /** Runs the clean-up as if that many milliseconds had passed. */
  readonly cleanUp: (afterMs: number) => Promise<void>
}

export async function siteStorage(kind: DatabaseKind): Promise<SiteStorage> {
  const storage = await fileStorage(kind)
  const { db, otherDb, blobs, intake } = storage
  const sites = siteStore(db, siteLimits)
  const reads = siteReadStore(db, siteLimits)

  const newDeployer = (changes: Partial<DeployerDependencies> = {}, database = db) => {
    const limits = changes.limits ?? siteLimits
    return new Deployer({
      blobs,
      intake,
      limits,
      parseRules: () => ({}),
      contents: contentStore(database, limits),
      versions: versionStore(database),
      sites: siteStore(database, limits),
      ...changes,
    })
  }
  const sql = (statement: string) => runSql(storage.config, statement)
  const usual = newDeployer()
  const other = newDeployer({}, otherDb)

  async function deployZip(deployer: Deployer, account: Account, name: string, zip: Buffer) {
    const archive = await storage.put(zip)
    try {
      return await deployer.deploy(account, name, archive)
    } finally {
      await intake.discard(archive.key)
    }
  }

  return {
    ...storage,
    sites,
    deployZip,
    sql,
    deployer: newDeployer,
    deploy: (account, name, files, isOther = false) =>
      deployZip(isOther ? other : usual, account, name, buildZip(entriesOf(files))),
    async served(account, name) {
      const { site } = await reads.versions(account, name)
      const rows = await sql(
        `select path, blob_key, start, size from site_file join site_content on id = content_id where version_id = ${site.versionId} order by path`,
      )
      const files: Record<string, string> = {}
      for (const row of rows) {
        const [start, size] = [Number(row['start']), Number(row['size'])]
        const range = { first: start, last: start + size - 1 }
        files[String(row['path'])] =
          size === 0 ? '' : String(await buffer(await blobs.open(String(row['blob_key']), range)))
      }
      return files
    },
    cleanUp: (afterMs) => cleanUp(cleanUpStore(db), intake, Date.now() + afterMs, new AbortController().signal),
  }
}

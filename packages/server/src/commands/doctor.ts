import { fileBlobOwners } from '../areas/files/storage/owner-store.js'
import { packageBlobOwners } from '../areas/packages/storage/owner-store.js'
import { siteBlobOwners } from '../areas/sites/versions/owner-store.js'
import type { Config } from '../config.js'
import type { Database } from '../db/port.js'
import {
  inspectObjects,
  inspectRows,
  type BlobOwner,
  type BlobOwners,
  type BlobRow,
  type ObjectFindings,
  type RowFindings,
} from '../ports/blobs/inspect.js'
import { isOwner } from '../ports/blobs/ownership.js'
import { StorageError, type Blobs } from '../ports/blobs/port.js'
import { selectExistingBlobs } from '../ports/blobs/select.js'
import { writerStore } from '../ports/blobs/writer-store.js'
import { keyStore } from '../ports/vault/key-store.js'
import { keyProblems } from '../ports/vault/configured-key.js'
import { settingConflicts } from './setting-conflicts.js'
import { withUnchangedDatabase } from './with-database.js'

export type { BlobOwner, BlobRow, ObjectFindings, RowFindings }

export interface Diagnosis {
  /** One sentence for each pair of settings that do not work together, and for a master key that is not that of the database. */
  readonly conflicts: readonly string[]
  readonly storage: StorageDiagnosis
}

export interface StorageDiagnosis {
  /** False for a store that belongs to no installation yet. Undefined for one that could not be inspected. */
  readonly isOwned: boolean | undefined
  /** One sentence for each reason why the store could not be inspected. */
  readonly failures: readonly string[]
  /** Undefined if the inspection failed. */
  readonly rows: RowFindings | undefined
  readonly objects: ObjectFindings | undefined
  /** Owners of the rows that `rows` shows. */
  readonly owners: BlobOwners
}

/** `svc doctor`: compares the blob store and the master key with the database, and the settings with each other. Changes nothing. */
export const diagnose = (config: Config): Promise<Diagnosis> =>
  withUnchangedDatabase(config.database, async (db) => ({
    conflicts: [...settingConflicts(config), ...(await keyProblems(config.vault, await keyStore(db).state()))],
    storage: await inspectStorage(db, config.blobs),
  }))

async function inspectStorage(db: Database, config: Config['blobs']): Promise<StorageDiagnosis> {
  const failures: string[] = []
  /** @returns undefined if the blob store failed */
  async function attempt<R>(work: () => Promise<R>): Promise<R | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      failures.push(error.message)
      return undefined
    }
  }
  const uninspected: StorageDiagnosis = {
    isOwned: undefined,
    failures,
    rows: undefined,
    objects: undefined,
    owners: new Map(),
  }
  const blobs = await attempt(() => selectExistingBlobs(config))
  if (blobs === undefined) return uninspected
  try {
    const isOwned = await attempt(() => isOwner(db, blobs))
    // Rows and objects of different installations have nothing in common.
    return isOwned === undefined ? uninspected : { isOwned, failures, ...(await inspect(db, blobs, attempt)) }
  } finally {
    await blobs.close()
  }
}

async function inspect(
  db: Database,
  blobs: Blobs,
  attempt: <R>(work: () => Promise<R>) => Promise<R | undefined>,
): Promise<Pick<StorageDiagnosis, 'rows' | 'objects' | 'owners'>> {
  const store = writerStore(db)
  const rows = await attempt(() => inspectRows(store, blobs))
  const objects = await attempt(() => inspectObjects(store, blobs))
  const shown = rows === undefined ? [] : [rows.missing, rows.otherSize, rows.unknown].flatMap(({ first }) => first)
  const keys = shown.map(({ key }: BlobRow) => key)
  const found = [await fileBlobOwners(db, keys), await packageBlobOwners(db, keys), await siteBlobOwners(db, keys)]
  const owners = new Map(found.flatMap((owners) => [...owners]))
  return { rows, objects, owners }
}

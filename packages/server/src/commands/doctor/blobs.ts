import { fileBlobOwners } from '../../areas/files/storage/owner-store.js'
import { packageBlobOwners } from '../../areas/packages/storage/owner-store.js'
import { siteBlobOwners } from '../../areas/sites/versions/owner-store.js'
import type { Database } from '../../db/port.js'
import {
  inspectObjects,
  inspectRows,
  type BlobOwners,
  type BlobRow,
  type ObjectFindings,
  type RowFindings,
} from '../../ports/blobs/inspect.js'
import { isOwner } from '../../ports/blobs/ownership.js'
import { pathOf } from '../../ports/blobs/disk/folders.js'
import { StorageError, type Blobs } from '../../ports/blobs/port.js'
import { selectExistingBlobs } from '../../ports/blobs/select.js'
import { writerStore } from '../../ports/blobs/writer-store.js'
import { reportObjects, reportRows } from './blob-findings.js'
import { requireDatabase, type Check, type Context } from './check.js'
import type { Report } from './finding.js'

/** What the comparison of rows and objects has counted. */
export interface StoredFiles {
  /** Undefined if the comparison failed. */
  readonly rows: RowFindings | undefined
  readonly objects: ObjectFindings | undefined
  /** Owners of the rows that `rows` shows. */
  readonly owners: BlobOwners
}

/**
 * Compares the stored objects with their rows. It takes as long as there are objects, so it has no deadline: an unreachable store
 * ends it within seconds.
 * @param done gets the counts, for JSON
 */
export const blobsCheck = (done: (counts: StoredFiles) => void): Check => ({
  section: 'blobs',
  deadlineMs: undefined,
  async run(context, report) {
    try {
      await inspectStore(context, report, done)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      report('error', error.message, 'Correct SVC_BLOBS, or check the disk or the provider.')
    }
  },
})

async function inspectStore(context: Context, report: Report, done: (counts: StoredFiles) => void): Promise<void> {
  const blobs = await selectExistingBlobs(context.config.blobs)
  try {
    await blobs.ping()
    const db = await requireDatabase(context, report)
    // Rows and objects of different installations have nothing in common.
    if (db !== undefined) await compare(db, blobs, { context, report, isOwned: await isOwner(db, blobs), done })
  } finally {
    await blobs.close()
  }
}

interface Comparison {
  readonly context: Context
  readonly report: Report
  /** False for a store that belongs to no installation yet. */
  readonly isOwned: boolean
  readonly done: (counts: StoredFiles) => void
}

async function compare(db: Database, blobs: Blobs, { context, report, isOwned, done }: Comparison): Promise<void> {
  const store = writerStore(db)
  const say = (what: string) => (count: number) => {
    context.progress(`Checked ${String(count)} ${what}.`)
  }
  const rows = await attempt(report, () => inspectRows(store, blobs, say('rows of stored files')))
  const objects = await attempt(report, () => inspectObjects(store, blobs, say('stored objects')))
  const shown = rows === undefined ? [] : [rows.missing, rows.otherSize, rows.unknown].flatMap(({ first }) => first)
  const keys = shown.map(({ key }: BlobRow) => key)
  const found = [await fileBlobOwners(db, keys), await packageBlobOwners(db, keys), await siteBlobOwners(db, keys)]
  const owners = new Map(found.flatMap((some) => [...some]))
  done({ rows, objects, owners })
  if (rows !== undefined && objects !== undefined)
    reportObjects(rows.rows, objects, { isOwned, removalOf: removalFrom(context.config.blobs) }, report)
  if (rows !== undefined) reportRows(rows, owners, report)
}

/** @returns undefined if the blob store failed */
async function attempt<R>(report: Report, work: () => Promise<R>): Promise<R | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report('error', error.message, 'Check whether the disk is mounted, or the provider.')
    return undefined
  }
}

/** The command that removes objects of a store. */
const removalFrom =
  (config: Context['config']['blobs']) =>
  (keys: readonly string[]): string =>
    config.kind === 'disk'
      ? `rm ${keys.map((key) => shellWord(pathOf(config.folder, key))).join(' ')}`
      : keys.map((key) => `aws s3 rm s3://${config.bucket}/blobs/${key}${providerFlags(config)}`).join('; ')

const shellWord = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

const providerFlags = ({ endpoint, region }: { readonly endpoint?: string; readonly region?: string }): string =>
  [
    endpoint === undefined ? '' : ` --endpoint-url ${shellWord(endpoint)}`,
    region === undefined ? '' : ` --region ${shellWord(region)}`,
  ].join('')

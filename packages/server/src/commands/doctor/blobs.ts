import { fileBlobOwners } from '../../areas/files/storage/owner-store.js'
import { packageBlobOwners } from '../../areas/packages/storage/owner-store.js'
import { siteBlobOwners } from '../../areas/sites/versions/owner-store.js'
import type { Database } from '../../db/port.js'
import { counted } from '../../shared/counted.js'
import {
  inspectObjects,
  inspectRows,
  type BlobOwner,
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
import { requireDatabase, type Check, type Context } from './check.js'
import type { Report, Status } from './finding.js'

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
      report.error(error.message, 'Correct SVC_BLOBS, or check the disk or the provider.')
    }
  },
})

async function inspectStore(context: Context, report: Report, done: (counts: StoredFiles) => void): Promise<void> {
  const blobs = await selectExistingBlobs(context.config.blobs)
  try {
    await blobs.ping()
    const db = await requireDatabase(context, report)
    // Rows and objects of different installations have nothing in common.
    if (db !== undefined) await compare(db, blobs, { context, report, isOwned: await isOwner(db, blobs) }, done)
  } finally {
    await blobs.close()
  }
}

interface Comparison {
  readonly context: Context
  readonly report: Report
  /** False for a store that belongs to no installation yet. */
  readonly isOwned: boolean
}

async function compare(
  db: Database,
  blobs: Blobs,
  comparison: Comparison,
  done: (counts: StoredFiles) => void,
): Promise<void> {
  const { context, report } = comparison
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
  if (rows !== undefined && objects !== undefined) reportObjects(rows.rows, objects, comparison)
  if (rows !== undefined) reportRows(rows, owners, report)
}

/** @returns undefined if the blob store failed */
async function attempt<R>(report: Report, work: () => Promise<R>): Promise<R | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report.error(error.message, 'Check whether the disk is mounted, or the provider.')
    return undefined
  }
}

/** The command that removes objects of a store. */
const removalOf = (config: Context['config']['blobs'], keys: readonly string[]): string =>
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

function reportRows({ missing, otherSize, unknown }: RowFindings, owners: BlobOwners, report: Report): void {
  const describe = ({ key, size }: BlobRow) => `${key}: ${size} bytes of ${ownerText(owners.get(key))}`
  reportEntries(report, 'error', missing, {
    sentence: (count) => `${counted(count, 'row')} ${has(count)} no object.`,
    remedy: 'Restore it from a backup, or tell the owner that the bytes are lost.',
    describe,
  })
  reportEntries(report, 'error', otherSize, {
    sentence: (count) => `${counted(count, 'row')} ${has(count)} an object of another size.`,
    remedy: 'Restore it from a backup, or tell the owner that the bytes are lost.',
    describe: (row) => `${describe(row)}, but ${row.objectSize} stored`,
  })
  reportEntries(report, 'error', unknown, {
    sentence: (count) => `${counted(count, 'row')} ${has(count)} an object that cannot be checked.`,
    remedy: 'Check the disk or the provider.',
    describe: (row) => `${describe(row)}. ${row.problem}`,
  })
}

/** @param isOwned whether the store belongs to this installation already */
function reportObjects(rows: number, found: ObjectFindings, { isOwned, context, report }: Comparison): void {
  const removal = isOwned ? 'within about an hour' : 'once a first upload has given the store to this installation'
  report.ok(`Checked ${counted(rows, 'row')} and ${counted(found.objects, 'object')}.`)
  const note = (status: Status, entries: Entries<string>, what: string, remedy?: string) => {
    const sentence = (count: number) => `${counted(count, 'object')} ${has(count)} ${what}`
    reportEntries(report, status, entries, { sentence, remedy, describe: String })
  }
  note('ok', found.uploading, 'no row yet: a running process has stored them.')
  note(
    'warning',
    found.orphans,
    'no row: their process was ended before it could remove them.',
    `A running server removes them ${removal}. If none runs, start it: svc serve.`,
  )
  note(
    'warning',
    found.laterState,
    'no row here, but another copy of the database may have one, for example from before a restore: svc leaves them alone.',
    `If you do not need that copy, delete them: ${removalOf(context.config.blobs, found.laterState.first)}`,
  )
  note('ok', found.otherNames, 'a name that svc did not make: svc leaves them alone.')
}

interface Entries<T> {
  readonly count: number
  readonly first: readonly T[]
}

interface Text<T> {
  readonly sentence: (count: number) => string
  readonly remedy?: string | undefined
  readonly describe: (entry: T) => string
}

/** Nothing for no entries. */
function reportEntries<T>(report: Report, status: Status, { count, first }: Entries<T>, text: Text<T>): void {
  if (count === 0) return
  const more = count - first.length
  report.add(status, text.sentence(count), text.remedy, [
    ...first.map(text.describe),
    ...(more > 0 ? [`and ${more} more`] : []),
  ])
}

const has = (count: number): string => (count === 1 ? 'has' : 'have')

const kindTexts = {
  file: 'the file',
  upload: 'the unfinished upload',
  artifact: 'the artifact',
  site: 'the sites',
} as const

function ownerText(owner: BlobOwner | undefined): string {
  if (owner === undefined) return 'an unknown owner'
  const { email, kind, name } = owner
  return [kindTexts[kind], ...(name === undefined ? [] : [name]), 'of', email].join(' ')
}

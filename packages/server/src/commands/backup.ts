import type { Writable } from 'node:stream'
import type { RawBuilder } from 'kysely'
import type { Config } from '../config/config.js'
import { copyObjects, type CopyDependencies, type LostObject, type ReferredObject } from '../archive/copy-objects.js'
import { formatVersion, type ArchiveHeader } from '../archive/format.js'
import { fileOutput, streamOutput } from '../archive/output.js'
import { firstText, installationOf, movedTo } from '../archive/unused-database.js'
import { backedUpRows, withoutUploads } from '../archive/without-uploads.js'
import { ArchiveWriter, type ArchiveTotals } from '../archive/writer.js'
import { openSnapshot } from '../db/connect.js'
import { migrationNames } from '../db/migrations/index.js'
import { columnOf, type Snapshot } from '../db/table-shape.js'
import { movedAway, unfinishedLoad } from '../db/unusable-database.js'
import { OperatorError } from '../shared/operator-error.js'
import type { Findings } from '../ports/blobs/inspect.js'
import { StorageError, type Blobs } from '../ports/blobs/port.js'
import { selectExistingBlobs, type BlobsConfig } from '../ports/blobs/select.js'
import { readConfiguredKey } from '../ports/vault/configured-key.js'
import { version } from '../shared/version.js'
import { noteCommand } from './note-command.js'
import { explainingFailures, requireExisting, requireTables } from './with-database.js'

/** What a backup or restore has done so far. */
export interface Progress {
  objects: number
  /** Of the objects. */
  bytes: number
  rows: number
}

export interface BackupOptions {
  readonly withMasterKey: boolean
  readonly onProgress: (progress: Readonly<Progress>) => void
  /** Called with the name of the temporary file, for its removal before a signal ends the process. */
  readonly onTemporary?: (file: string) => void
}

export interface BackupResult extends ArchiveTotals {
  /** Objects that have a row and are not in the archive. */
  readonly lost: Findings<LostObject>
  /** The id of the master key that opens the stored secrets; undefined if there is no key yet. */
  readonly masterKeyId: string | undefined
}

/**
 * `svc backup`: writes a consistent copy of all rows and objects, beside servers that write. Changes nothing but the operator's journal,
 * before the first byte of the copy.
 * @param output the file to write, which must not exist, or stdout
 * @throws OperatorError, StorageError
 */
export const backup = (
  config: Pick<Config, 'database' | 'blobs' | 'vault'>,
  output: string | Writable,
  options: BackupOptions,
): Promise<BackupResult> =>
  explainingFailures(config.database, async () => {
    await requireExisting(config.database)
    const header = await makeHeader(config, options.withMasterKey)
    // A backup upgrades nothing.
    if (migrationNames.every((name) => header.migrations.includes(name)))
      await noteCommand(config.database, 'svc backup')
    const opened = typeof output === 'string' ? await fileOutput(output) : streamOutput(output, 'stdout')
    if (opened.temporary !== undefined) options.onTemporary?.(opened.temporary)
    const writer = await ArchiveWriter.start(opened, header)
    try {
      const lost = await write(config, writer, header, options.onProgress)
      const { master_key_id: masterKeyId } = header.details as BackupDetails
      return { ...lost, masterKeyId }
    } catch (error) {
      await writer.abandon()
      throw error
    }
  })

/** Fields of the header that only backups have. */
export interface BackupDetails extends Record<string, unknown> {
  readonly master_key_id: string | undefined
  /** 64 hexadecimal digits, if the operator asked for it. */
  readonly master_key: string | undefined
}

async function makeHeader(config: Pick<Config, 'database' | 'vault'>, withMasterKey: boolean): Promise<ArchiveHeader> {
  await using snapshot = await openSnapshot(config.database)
  requireTables(config.database, snapshot.migrations)
  const installation = await installationOf(snapshot)
  if (installation === undefined) throw unfinishedLoad()
  const url = await movedTo(snapshot)
  if (url !== undefined) throw movedAway(url)
  const keyId = await masterKeyIdOf(snapshot)
  const details: BackupDetails = {
    master_key_id: keyId,
    master_key: withMasterKey && keyId !== undefined ? await readMasterKey(config, keyId) : undefined,
  }
  return {
    format: formatVersion,
    kind: 'backup',
    svc_version: version,
    migrations: snapshot.migrations,
    installation_id: installation,
    created_at: new Date().toISOString(),
    tables: snapshot.tables.map(({ name, columns }) => ({ name, columns })),
    details,
  }
}

async function readMasterKey({ vault }: Pick<Config, 'vault'>, currentId: string): Promise<string> {
  const key = await readConfiguredKey(vault, { currentId, handover: undefined })
  return key.format()
}

const masterKeyIdOf = (snapshot: Snapshot) => firstText(snapshot, 'master_key', 'key_id')

async function write(
  { database, blobs: config }: Pick<Config, 'database' | 'blobs'>,
  writer: ArchiveWriter,
  header: ArchiveHeader,
  onProgress: BackupOptions['onProgress'],
): Promise<Omit<BackupResult, 'masterKeyId'>> {
  const progress: Progress = { objects: 0, bytes: 0, rows: 0 }
  const blobs = openWhenNeeded(config)
  try {
    const copied = await copyObjects({
      blobs,
      writer,
      openSnapshot: () => openSnapshot(database),
      objectsOf: (snapshot) => objectsIn(snapshot, backedUpRows(snapshot, 'blob')),
      onCopied: (size) => {
        progress.objects += 1
        progress.bytes += size
        onProgress(progress)
      },
    })
    await using snapshot = copied.snapshot
    if (String(snapshot.migrations) !== String(header.migrations))
      throw new OperatorError('The database was upgraded during the backup: run svc backup again.')
    if ((await masterKeyIdOf(snapshot)) !== header.details['master_key_id'])
      throw new OperatorError('The master key was replaced during the backup: run svc backup again.')
    const adjusted = await withoutUploads(snapshot)
    for (const table of snapshot.tables)
      for await (const rows of snapshot.rows(table, backedUpRows(snapshot, table.name))) {
        await writer.addRows(table.name, adjusted(table, rows))
        progress.rows += rows.length
        onProgress(progress)
      }
    return { ...(await writer.finish(await snapshot.lastIds())), lost: copied.lost }
  } finally {
    await blobs.close()
  }
}

/** Opens the blob store at the first object: an installation without objects may not have its directory yet. */
export function openWhenNeeded(config: BlobsConfig): CopyDependencies['blobs'] & Pick<Blobs, 'close'> {
  let opened: Promise<Blobs> | undefined
  const open = () => (opened ??= selectExistingBlobs(config).catch(explainStorage))
  return {
    sizeOf: async (key) => (await open()).sizeOf(key),
    open: async (key, range) => (await open()).open(key, range),
    // A store that could not be opened has failed the backup already.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  }
}

function explainStorage(error: unknown): never {
  throw error instanceof StorageError ? new OperatorError(error.message, 1, { cause: error }) : error
}

/** @param where which rows of `blob`; undefined for all */
export async function* objectsIn(
  snapshot: Snapshot,
  where?: RawBuilder<unknown>,
): AsyncGenerator<readonly ReferredObject[]> {
  const blob = snapshot.tables.find(({ name }) => name === 'blob')
  if (blob === undefined) return
  const [key, size] = [columnOf(blob, 'key'), columnOf(blob, 'size')]
  for await (const rows of snapshot.rows(blob, where))
    yield rows.map((row) => ({ key: String(row[key]), size: Number(row[size]) }))
}

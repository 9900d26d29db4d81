import { dirname } from 'node:path'
import { hasColumnsOf } from '../archive/checks.js'
import { explainRowFailure } from '../archive/errors.js'
import { asInOtherDatabase, isCopied } from '../archive/other-database.js'
import { ObjectPlacement } from '../archive/place-objects.js'
import { ArchiveReader, type ArchiveItem } from '../archive/reader.js'
import { requireUnused } from '../archive/unused-database.js'
import type { Config } from '../config/config.js'
import type { BulkTarget } from '../db/bulk-target.js'
import { openBulkTarget } from '../db/connect.js'
import { columnOf } from '../db/table-shape.js'
import { OperatorError } from '../shared/operator-error.js'
import type { Blobs } from '../ports/blobs/port.js'
import { selectBlobs } from '../ports/blobs/select.js'
import { createKeyFile, readKeyFile } from '../ports/vault/key-file.js'
import { MasterKey } from '../shared/master-key.js'
import { giveTreeToOwnerOf } from '../shared/private-file.js'
import type { BackupDetails, Progress } from './backup.js'
import { commandEventStore } from './command-event-store.js'
import { explainingFailures, withDatabase } from './with-database.js'

export type RestoreConfig = Pick<Config, 'data' | 'database' | 'blobs' | 'vault' | 'dns'>

export interface RestoreResult extends Progress {
  /** RFC 3339. */
  readonly createdAt: string
  /** What the operator must do before the server can be started. */
  readonly nextSteps: readonly string[]
}

export interface RestoreOptions {
  readonly onProgress: (progress: Readonly<Progress>) => void
  /** Ends the restore, which then removes what is half done. */
  readonly signal: AbortSignal
}

/**
 * `svc restore`: fills an empty database and a blob store from a backup. Can be interrupted and repeated.
 * @param path the archive; `-` is stdin
 * @throws OperatorError, StorageError; any error after an abort
 */
export const restore = (config: RestoreConfig, path: string, options: RestoreOptions): Promise<RestoreResult> =>
  explainingFailures(config.database, async () => {
    const archive = await ArchiveReader.open(path)
    options.signal.addEventListener('abort', archive.close, { once: true })
    try {
      if (archive.header.kind !== 'backup')
        throw new OperatorError(`${path} is the archive of an account, not a backup: use svc account import.`)
      await requireUnused(config.database)
      await refuseOtherKey(config, archive)
      const progress = await fill(config, archive, options)
      await withDatabase(config.database, (db) => commandEventStore(db).note('svc restore', archive.header.created_at))
      return { ...progress, createdAt: archive.header.created_at, nextSteps: await nextSteps(config, archive) }
    } finally {
      options.signal.removeEventListener('abort', archive.close)
      archive.close()
    }
  })

async function fill(
  { data, database, blobs: blobsConfig, vault }: RestoreConfig,
  archive: ArchiveReader,
  options: RestoreOptions,
): Promise<Progress> {
  const target = await openBulkTarget(database, { migrations: archive.header.migrations, resumes: false })
  try {
    const progress = await load(archive, target, () => selectBlobs(blobsConfig), options)
    if (blobsConfig.kind === 'disk') await giveTreeToOwnerOf(data, blobsConfig.folder)
    const { master_key: key } = archive.header.details as BackupDetails
    const masterKey = key === undefined ? undefined : MasterKey.parse(key)
    if (masterKey !== undefined && vault.kind === 'file')
      await createKeyFile(vault.file, masterKey, dirname(vault.file))
    await target.complete(archive.lastIds, archive.header.installation_id)
    return progress
  } catch (error) {
    await target.abandon()
    throw error
  }
}

async function load(
  archive: ArchiveReader,
  target: BulkTarget,
  openBlobs: () => Promise<Blobs>,
  { signal, onProgress }: RestoreOptions,
): Promise<Progress> {
  const progress: Progress = { objects: 0, bytes: 0, rows: 0 }
  const blobs = await openBlobs()
  const placement = new ObjectPlacement(blobs)
  try {
    await placement.takeStore(archive.header.installation_id)
    for await (const item of archive.items()) {
      signal.throwIfAborted()
      if (item.kind === 'object') {
        await placement.add(item, archive)
        progress.objects += 1
        progress.bytes += item.size
      } else if (item.kind === 'void') await placement.drop(item.keys)
      else {
        await placement.settle()
        progress.rows += item.rows.length
        await addRows(item, { archive, target, placement })
      }
      onProgress(progress)
    }
    await placement.finish()
    return progress
  } catch (error) {
    await placement.undo(archive)
    throw error
  } finally {
    placement.close()
    await blobs.close()
  }
}

interface Loading {
  readonly archive: ArchiveReader
  readonly target: BulkTarget
  readonly placement: ObjectPlacement
}

async function addRows(item: ArchiveItem & { kind: 'rows' }, { archive, target, placement }: Loading): Promise<void> {
  const table = archive.header.tables.find(({ name }) => name === item.table)
  // The row of `installation` is inserted last: without it, no server starts.
  if (table === undefined || table.name === 'installation' || !isCopied(table.name)) return
  if (!hasColumnsOf(target.tables, table))
    throw new OperatorError(`The archive is damaged: svc has no table ${table.name} like that.`)
  if (table.name === 'blob') for (const row of item.rows) placement.keep(String(row[columnOf(table, 'key')]))
  const columns = table.columns.map(({ name }) => name)
  await target.insert(table.name, columns, asInOtherDatabase(table, item.rows)).catch((error: unknown) => {
    throw explainRowFailure(error)
  })
}

/** @throws OperatorError if there is a master key other than that of the backup */
async function refuseOtherKey({ vault }: RestoreConfig, { header }: ArchiveReader): Promise<void> {
  const { master_key_id: keyId } = header.details as BackupDetails
  const own = vault.kind === 'setting' ? vault.key : await readKeyFile(vault.file)
  if (keyId === undefined || own === undefined || own.id === keyId) return
  const where = vault.kind === 'setting' ? 'SVC_MASTER_KEY' : `The file ${vault.file}`
  throw new OperatorError(
    `${where} has the master key ${own.id}, and the secrets in the backup are encrypted with ${keyId}: ${vault.kind === 'setting' ? 'set it to that key' : 'move the file away, or replace it with that key'}.`,
  )
}

async function nextSteps({ vault, dns }: RestoreConfig, { header }: ArchiveReader): Promise<string[]> {
  const { master_key_id: keyId } = header.details as BackupDetails
  const steps: string[] = []
  if (keyId !== undefined && vault.kind === 'file' && (await readKeyFile(vault.file)) === undefined)
    steps.push(
      `Copy the master key ${keyId} to ${vault.file}, or set SVC_MASTER_KEY to it: the stored secrets are encrypted with it.`,
    )
  steps.push('Start svc serve.')
  if (dns.provider.kind !== 'embedded') steps.push('Run svc dns sync: PowerDNS still has the zones of before.')
  return steps
}

import type { RawBuilder } from 'kysely'
import { accountStore } from '../areas/account/accounts/store.js'
import { exportedRows } from '../app/tables.js'
import { copyObjects, type LostObject } from '../archive/copy-objects.js'
import { formatVersion, type ArchiveHeader } from '../archive/format.js'
import { fileOutput } from '../archive/output.js'
import { ArchiveWriter, type ArchiveTotals } from '../archive/writer.js'
import { describeDatabase, type Config } from '../config/config.js'
import type { TableName } from '../db/table-declaration.js'
import { installationId } from '../db/installation-store.js'
import { openSnapshot } from '../db/connect.js'
import { OperatorError } from '../shared/operator-error.js'
import type { Findings } from '../ports/blobs/inspect.js'
import { StorageError } from '../ports/blobs/port.js'
import type { Account } from '../shared/account.js'
import { MasterKey } from '../shared/master-key.js'
import { timestamp } from '../shared/timestamp.js'
import { version } from '../shared/version.js'
import { ExportedSecrets } from './account-transfer/exported-secrets.js'
import { objectsIn, openWhenNeeded, type Progress } from './backup.js'
import { actingBy } from './accounts.js'
import { commandEventStore } from './command-event-store.js'
import { checkEmail } from './input.js'
import { withExistingDatabase } from './with-database.js'

export interface AccountExport {
  readonly email: string
  /** A path at which no file exists. */
  readonly file: string
  /** Shows the key that opens the secrets in the file, before the file has its name. Not called for an account without secrets. */
  readonly showKey: (key: string) => Promise<void>
  readonly onProgress: (progress: Readonly<Progress>) => void
  /** Called with the name of the temporary file, for its removal before a signal ends the process. */
  readonly onTemporary?: (file: string) => void
}

export type ExportConfig = Pick<Config, 'database' | 'blobs' | 'vault'>

export interface AccountExported extends ArchiveTotals {
  readonly account: Account
  /** Objects that could not be read, and are not in the file. */
  readonly lost: Findings<LostObject>
  /** Secrets that could not be decrypted, such as `credential 7`, and are not in the file. */
  readonly damaged: readonly string[]
}

/**
 * `svc account export`: writes everything of an account to a file, as of one moment, beside running servers.
 * @throws OperatorError for an unknown account, and for a file that exists or cannot be written
 */
export async function exportAccount(config: ExportConfig, given: AccountExport): Promise<AccountExported> {
  const { file, showKey } = given
  const email = checkEmail(given.email)
  if (file === '-') throw new OperatorError('FILE must be a path: stdout has the export key.', 2)
  return withExistingDatabase(config.database, async (db) => {
    const account = await accountStore(db).byEmail(email)
    if (account === undefined) throw noAccount(email, config)
    const secrets = new ExportedSecrets(db, config.vault, account.id, MasterKey.random())
    const rowsOf = (table: string) => exportedRows(table as TableName, account.id, db.dialect)
    const header = await makeHeader(config, rowsOf, account, await installationId(db))
    const output = await fileOutput(file)
    if (output.temporary !== undefined) given.onTemporary?.(output.temporary)
    const writer = await ArchiveWriter.start(output, header)
    try {
      const lost = await write({ ...given, config, writer, rowsOf, secrets })
      // Before the key and the file can be used.
      await commandEventStore(db).noteExport(actingBy(account, 'svc account export'))
      if (secrets.count > 0) await showKey(secrets.key.format())
      const totals = await writer.finish()
      return { account, lost, damaged: secrets.damaged, ...totals }
    } catch (error) {
      await writer.abandon()
      throw error instanceof StorageError ? new OperatorError(error.message, 1, { cause: error }) : error
    }
  })
}

const noAccount = (email: string, { database }: ExportConfig) =>
  new OperatorError(`There is no account ${email} in ${describeDatabase(database)}; svc user list shows all.`)

/** The condition for the rows of a table that are exported; undefined for a table that is left out. */
type RowsOf = (table: string) => RawBuilder<boolean> | undefined

async function makeHeader(
  config: ExportConfig,
  rowsOf: RowsOf,
  { email }: Account,
  installation: string,
): Promise<ArchiveHeader> {
  const snapshot = await openSnapshot(config.database)
  await snapshot.close()
  return {
    format: formatVersion,
    kind: 'account',
    svc_version: version,
    migrations: snapshot.migrations,
    installation_id: installation,
    created_at: timestamp(Date.now()),
    tables: snapshot.tables
      .filter(({ name }) => rowsOf(name) !== undefined)
      .map(({ name, columns }) => ({ name, columns })),
    details: { email },
  }
}

interface Export extends AccountExport {
  readonly config: ExportConfig
  readonly writer: ArchiveWriter
  readonly rowsOf: RowsOf
  readonly secrets: ExportedSecrets
}

/** @returns the objects that could not be copied */
async function write({ config, email, writer, rowsOf, secrets, onProgress }: Export): Promise<Findings<LostObject>> {
  const progress: Progress = { objects: 0, bytes: 0, rows: 0 }
  const blobs = openWhenNeeded(config.blobs)
  try {
    const { snapshot, lost } = await copyObjects({
      blobs,
      writer,
      openSnapshot: () => openSnapshot(config.database),
      objectsOf: (snapshot) => objectsIn(snapshot, rowsOf('blob')),
      onCopied: (size) => {
        progress.objects += 1
        progress.bytes += size
        onProgress(progress)
      },
    })
    try {
      for (const table of snapshot.tables) {
        const where = rowsOf(table.name)
        if (where === undefined) continue
        const before = progress.rows
        for await (const rows of snapshot.rows(table, where)) {
          await writer.addRows(table.name, await secrets.reseal(table, rows))
          progress.rows += rows.length
          onProgress(progress)
        }
        // It has been deleted since it was looked up.
        if (table.name === 'account' && progress.rows === before) throw noAccount(email, config)
      }
      return lost
    } finally {
      await snapshot.close()
    }
  } finally {
    await blobs.close()
  }
}

import { accountStore } from '../areas/account/accounts/store.js'
import { copyObjects, type LostObject, type ReferredObject } from '../archive/copy-objects.js'
import { formatVersion, type ArchiveHeader } from '../archive/format.js'
import { fileOutput } from '../archive/output.js'
import { ArchiveWriter, type ArchiveTotals } from '../archive/writer.js'
import type { Config } from '../config.js'
import { exportedRows, type TableName } from '../db/account-tables.js'
import { installationId } from '../db/installation-store.js'
import type { Database } from '../db/port.js'
import { openSnapshot } from '../db/snapshot.js'
import type { Snapshot, TableShape } from '../db/table-shape.js'
import { OperatorError } from '../operator-error.js'
import type { Findings } from '../ports/blobs/inspect.js'
import { StorageError } from '../ports/blobs/port.js'
import { selectExistingBlobs } from '../ports/blobs/select.js'
import type { Account } from '../shared/account.js'
import { MasterKey } from '../shared/master-key.js'
import { timestamp } from '../shared/timestamp.js'
import { version } from '../version.js'
import { checkEmail } from './input.js'
import { ExportedSecrets } from './account-transfer/exported-secrets.js'
import { withExistingDatabase } from './with-database.js'

export interface AccountExport {
  readonly email: string
  /** A path at which no file exists. */
  readonly file: string
  /** Shows the key that opens the secrets in the file, before the file has its name. Not called for an account without secrets. */
  readonly showKey: (key: string) => Promise<void>
}

export interface AccountExported extends ArchiveTotals {
  readonly account: Account
  /** Objects that could not be read, and are not in the file. */
  readonly lost: Findings<LostObject> | undefined
  /** Secrets that could not be decrypted, such as `credential 7`, and are not in the file. */
  readonly damaged: readonly string[]
}

/**
 * `svc account export`: writes everything of an account to a file, as of one moment, beside running servers.
 * @throws OperatorError for an unknown account, and for a file that exists or cannot be written
 */
export async function exportAccount(
  config: Pick<Config, 'database' | 'blobs' | 'vault'>,
  { email, file, showKey }: AccountExport,
): Promise<AccountExported> {
  const checked = checkEmail(email)
  if (file === '-') throw new OperatorError('FILE must be a path: stdout has the export key.', 2)
  return withExistingDatabase(config.database, async (db) => {
    const account = await accountStore(db).byEmail(checked)
    if (account === undefined) throw new OperatorError(`There is no account ${checked}; svc user list shows all.`)
    const output = await fileOutput(file)
    const secrets = new ExportedSecrets(db, config.vault, account.id, MasterKey.random())
    const first = await openSnapshot(config.database)
    const exported = new Export({ account, config, first, secrets })
    const writer = await ArchiveWriter.start(output, await exported.header(db)).catch(async (error: unknown) => {
      await first.close()
      throw error
    })
    try {
      const lost = await exported.write(writer)
      if (secrets.count > 0) await showKey(secrets.key.format())
      return { account, lost, damaged: secrets.damaged, ...(await writer.finish()) }
    } catch (error) {
      await writer.abandon()
      throw error instanceof StorageError ? new OperatorError(error.message, 1, { cause: error }) : error
    }
  })
}

interface ExportParts {
  readonly account: Account
  readonly config: Pick<Config, 'database' | 'blobs'>
  /** The tables, and the rows if no object has to be copied. */
  readonly first: Snapshot
  readonly secrets: ExportedSecrets
}

class Export {
  constructor(private readonly parts: ExportParts) {}

  async header(db: Database): Promise<ArchiveHeader> {
    const { first, account } = this.parts
    return {
      format: formatVersion,
      kind: 'account',
      svc_version: version,
      migrations: first.migrations,
      installation_id: await installationId(db),
      created_at: timestamp(Date.now()),
      tables: first.tables
        .filter((table) => this.#rowsOf(table) !== undefined)
        .map(({ name, columns }) => ({ name, columns })),
      details: { email: account.email },
    }
  }

  /** @returns the objects that could not be copied; undefined for an account without objects */
  async write(writer: ArchiveWriter): Promise<Findings<LostObject> | undefined> {
    const { first, config } = this.parts
    let hasObjects = false
    for await (const objects of this.#objectsOf(first)) hasObjects = objects.length > 0
    if (!hasObjects) {
      await this.#writeRows(first, writer)
      return undefined
    }
    await first.close()
    const blobs = await selectExistingBlobs(config.blobs)
    try {
      const { snapshot, lost } = await copyObjects({
        ...{ blobs, writer },
        openSnapshot: () => openSnapshot(config.database),
        objectsOf: (snapshot) => this.#objectsOf(snapshot),
      })
      await this.#writeRows(snapshot, writer)
      return lost
    } finally {
      await blobs.close()
    }
  }

  async *#objectsOf(snapshot: Snapshot): AsyncGenerator<readonly ReferredObject[]> {
    const table = snapshot.tables.find(({ name }) => name === 'blob')
    if (table === undefined) return
    const [key, size] = ['key', 'size'].map((column) => table.columns.findIndex(({ name }) => name === column))
    for await (const rows of snapshot.rows(table, this.#rowsOf(table)))
      yield rows.map((row) => ({ key: String(row[key ?? 0]), size: Number(row[size ?? 0]) }))
  }

  async #writeRows(snapshot: Snapshot, writer: ArchiveWriter): Promise<void> {
    try {
      for (const table of snapshot.tables) {
        const where = this.#rowsOf(table)
        if (where === undefined) continue
        for await (const rows of snapshot.rows(table, where))
          await writer.addRows(table.name, await this.parts.secrets.reseal(table, rows))
      }
    } finally {
      await snapshot.close()
    }
  }

  #rowsOf({ name }: TableShape) {
    const { account, first } = this.parts
    return exportedRows(name as TableName, account.id, first.dialect)
  }
}

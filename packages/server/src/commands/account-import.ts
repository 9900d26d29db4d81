import { stat } from 'node:fs/promises'
import { accountStore } from '../areas/account/accounts/store.js'
import type { SyncedZone } from '../areas/dns/publishing/sync.js'
import { explainRowFailure } from '../archive/errors.js'
import { operatorZones } from '../areas/dns/claims/operator-zones.js'
import { foreignZones } from '../areas/dns/publishing/foreign-zones.js'
import { zoneStore } from '../areas/dns/publishing/zone-store.js'
import { operatorNames, describeDatabase, type Config } from '../config/config.js'
import { openSnapshot, runBulkTransaction } from '../db/connect.js'
import { LockTimeout } from '../db/keyed-mutex.js'
import type { Database } from '../db/port.js'
import { contentHostOf } from '../http/content-host.js'
import { OperatorError } from '../shared/operator-error.js'
import { BlobIntake } from '../ports/blobs/intake.js'
import { StorageError } from '../ports/blobs/port.js'
import { selectBlobs } from '../ports/blobs/select.js'
import { openVault } from '../ports/vault/envelope-vault.js'
import { counted } from '../shared/counted.js'
import { MasterKey } from '../shared/master-key.js'
import { AccountArchive, type AccountItems } from './account-transfer/archive.js'
import type { Contents } from './account-transfer/contents.js'
import { ObjectImport } from './account-transfer/objects.js'
import { RowImport, type RowTerms } from './account-transfer/rows.js'
import { syncDns } from './dns-sync.js'
import { checkEmail } from './input.js'
import { withDatabase } from './with-database.js'
import { commandLog, withProvider } from './with-provider.js'

export type ImportConfig = Pick<Config, 'database' | 'blobs' | 'vault' | 'dns' | 'publicUrl' | 'sitesDomain'>

export interface AccountImport {
  readonly file: string
  /** Undefined for the email address in the archive. */
  readonly email: string | undefined
  /** Reads the export key; undefined if none is given. Not called for an archive without secrets. */
  readonly readKey: () => Promise<string | undefined>
  /** Ends the import, which then removes the objects that it has stored. */
  readonly signal?: AbortSignal
}

export interface AccountImported {
  readonly email: string
  readonly rows: number
  readonly objects: number
  /** What is different from the archive, one sentence each. */
  readonly changes: readonly string[]
  /** The zones that the account holds here. */
  readonly zones: readonly string[]
}

/** One import at a time. */
const importLock = 'account import'
const lockWaitMs = 1_000

/**
 * `svc account import`: creates the account of an archive, with everything of it, beside running servers. All or nothing: objects are
 * stored first, and all rows in one transaction.
 * @throws OperatorError for a damaged archive, one of another schema, a missing or wrong key, and an email address with an account
 */
export async function importAccount(config: ImportConfig, given: AccountImport): Promise<AccountImported> {
  const email = given.email === undefined ? undefined : checkEmail(given.email)
  if (await isPipe(given.file))
    throw new OperatorError('FILE must be a file on a disk, not a pipe or stdin: it is read twice.', 2)
  return withDatabase(config.database, async (db) => {
    const { tables, migrations } = await schemaOf(config)
    const archive = new AccountArchive(given.file, tables, migrations, given.signal)
    const contents = await archive.read(serverNamesOf(config))
    const terms = await termsOf({ config, db, contents, email, readKey: given.readKey, file: given.file })
    const run = () => importContents({ config, db, archive, contents, terms })
    return db.withJobLock(importLock, run, lockWaitMs).catch((error: unknown) => {
      if (error instanceof StorageError) throw new OperatorError(error.message, 1, { cause: error })
      if (!(error instanceof LockTimeout) || error.cause !== undefined) throw error
      throw new OperatorError(
        'Another svc account import is running on this database: repeat the command when it has ended.',
      )
    })
  })
}

/** The names of the server, which no domain of a site can have. */
export const serverNamesOf = (config: Pick<Config, 'sitesDomain' | 'publicUrl' | 'dns'>) => ({
  sitesDomain: config.sitesDomain,
  hosts: [...servedHostsOf(config), ...config.dns.nameservers],
})

const servedHostsOf = ({ sitesDomain, publicUrl }: Pick<Config, 'sitesDomain' | 'publicUrl'>): string[] => [
  contentHostOf(sitesDomain),
  ...(publicUrl ? [new URL(publicUrl).hostname] : []),
]

/** A missing file is reported by its reader. */
const isPipe = async (file: string): Promise<boolean> =>
  file === '-' || (await stat(file).catch(() => undefined))?.isFIFO() === true

/** The tables of a database, and its migrations. */
export async function schemaOf({ database }: Pick<ImportConfig, 'database'>) {
  const snapshot = await openSnapshot(database)
  await snapshot.close()
  return snapshot
}

interface Given extends Pick<AccountImport, 'file' | 'readKey' | 'email'> {
  readonly config: ImportConfig
  readonly db: Database
  readonly contents: Contents
}

type Terms = Omit<RowTerms, 'keys' | 'note'>

async function termsOf({ config, db, contents, file, readKey, email: other }: Given): Promise<Terms> {
  const email = other ?? checkEmail(String(contents.account['email']))
  if ((await accountStore(db).byEmail(email)) !== undefined)
    throw new OperatorError(
      `The account ${email} exists in ${describeDatabase(config.database)}: --email imports ${file} under another address.`,
    )
  const exportKey = await keyOf(contents, file, readKey)
  return {
    email,
    isHeldByOperator: await operatorZonesOf(config, db, contents),
    serverNames: { sitesDomain: config.sitesDomain, hosts: servedHostsOf(config) },
    secrets: exportKey && { exportKey, vault: await openVault(config.vault, db) },
  }
}

/** Whether a zone of the archive counts as claimed by the operator, as in a request: also one that the provider has from another source. */
async function operatorZonesOf(
  config: ImportConfig,
  db: Database,
  { claims, zones }: Contents,
): Promise<(zone: string) => boolean> {
  const operators = operatorZones(operatorNames(config))
  const names = new Set([...claims.map(({ zone }) => String(zone)), ...zones.map(({ name }) => String(name))])
  const foreign = new Set<string>()
  await withProvider(config.dns, db, async (provider) => {
    if (provider === undefined) return
    const others = foreignZones(provider, zoneStore(db))
    for (const name of names) if (await others.hasAtOrAbove(name, undefined)) foreign.add(name)
  })
  return (zone) => operators.has(zone) || foreign.has(zone)
}

/** @returns undefined for an archive without secrets */
async function keyOf({ keyIds }: Contents, file: string, readKey: Given['readKey']): Promise<MasterKey | undefined> {
  const [id] = keyIds
  if (id === undefined) return undefined
  const text = await readKey()
  if (text === undefined)
    throw new OperatorError(`${file} has encrypted secrets: give its export key with --key-stdin or SVC_EXPORT_KEY.`, 2)
  const key = MasterKey.parse(text.trim())
  if (key === undefined)
    throw new OperatorError('The export key must be the 64 hexadecimal digits that svc account export printed.', 2)
  if (key.id !== id)
    throw new OperatorError(
      `The given key is ${key.id}, but the secrets in ${file} are encrypted with the export key ${id}.`,
    )
  return key
}

interface ImportDependencies {
  readonly config: ImportConfig
  readonly db: Database
  readonly archive: AccountArchive
  readonly contents: Contents
  readonly terms: Terms
}

async function importContents({ config, db, archive, contents, terms }: ImportDependencies): Promise<AccountImported> {
  const blobs = await selectBlobs(config.blobs)
  const intake = new BlobIntake(db, blobs, commandLog())
  const objects = new ObjectImport(intake, contents)
  const items = await archive.items()
  try {
    const missing = await objects.store(items)
    const { changes, zones } = await insertRows({ config, items, contents, terms, keys: objects.keys })
    objects.settle()
    const losses =
      missing > 0
        ? [`The archive does not have the bytes of ${counted(missing, 'object')}: they were lost before.`]
        : []
    const { rows } = contents
    return { email: terms.email, rows, objects: objects.keys.size, changes: [...losses, ...changes], zones }
  } catch (error) {
    await objects.discard()
    throw explainConflict(error)
  } finally {
    items.close()
    await intake.close()
    await blobs.close()
  }
}

interface InsertDependencies extends Pick<ImportDependencies, 'config' | 'contents' | 'terms'>, Pick<RowTerms, 'keys'> {
  readonly items: AccountItems
}

const insertRows = ({ config, items, contents, terms, keys }: InsertDependencies) =>
  runBulkTransaction(config.database, async (tx) => {
    const changes: string[] = []
    const note = (change: string) => void changes.push(change)
    const rows = await RowImport.begin(tx, contents, { ...terms, note, keys })
    for await (const { table, columns, values } of items.rows()) await rows.insert(table, columns, values)
    rows.finish()
    return { changes, zones: rows.heldZones }
  })

/** A unique value was free when it was looked up, and another process has taken it before the commit. */
function explainConflict(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/.test(code)) return explainRowFailure(error)
  return new OperatorError('Another process has taken a name of the account meanwhile: repeat the command.', 1, {
    cause: error,
  })
}

/**
 * Publishes the zones of an imported account with an external DNS provider. No-op for the embedded nameserver, which follows the
 * database.
 * @throws OperatorError if the provider fails: the account is imported
 */
export async function publishZones(config: ImportConfig, zones: readonly string[]): Promise<void> {
  const failed: string[] = []
  const note = ({ zone, problem }: SyncedZone) => {
    if (problem !== undefined) failed.push(`${zone} (${problem.replace(/\.$/, '')})`)
  }
  for (const zone of zones) await syncDns(config, { zone, dryRun: false, done: note })
  if (failed.length > 0)
    throw new OperatorError(
      `The account is imported, but the DNS provider does not serve ${failed.join(', ')}: run svc dns sync.`,
    )
}

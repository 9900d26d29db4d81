import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { isUtf8 } from 'node:buffer'
import { readServedZone } from '../areas/dns/zone-file/export-store.js'
import { describeRemarks } from '../areas/dns/zone-file/import-plan.js'
import { readZoneFile, type ZoneFile } from '../areas/dns/zone-file/reader.js'
import { importStore, type ImportPlan, type ImportStore } from '../areas/dns/zone-file/import-store.js'
import { writeRecord, writeZoneFile } from '../areas/dns/zone-file/writer.js'
import type { Config } from '../config/config.js'
import { OperatorError } from '../shared/operator-error.js'
import { timestamp } from '../shared/timestamp.js'
import { actingBy } from './accounts.js'
import { checkEmail, zone } from './input.js'
import { withExistingDatabase } from './with-database.js'
import { withPublisher } from './with-publisher.js'
import { giveToFolderOwner } from '../shared/private-file.js'

type ZoneConfig = Pick<Config, 'database' | 'dns'>

/** `svc dns export`: a zone as a zone file, whether or not an account holds it. @throws OperatorError for an unknown zone */
export async function exportZone(config: ZoneConfig, zoneName: string): Promise<string> {
  const name = zone(zoneName)
  const { nameservers, hostmaster } = config.dns
  const contents = await withExistingDatabase(config.database, (db) => readServedZone(db, name))
  if (contents === undefined) throw new OperatorError(`There is no zone ${name}: no account has verified it yet.`)
  return writeZoneFile({ zone: name, nameservers, hostmaster, ...contents })
}

/** Maximum size of a zone file: ten times the records of a full zone. */
export const zoneFileMaxBytes = 64 * 2 ** 20

export interface ZoneImport {
  readonly zone: string
  /** At most `zoneFileMaxBytes`. */
  readonly file: Uint8Array
  /** The account that must hold the zone; undefined for any. */
  readonly email: string | undefined
  /** Whether records that the file does not have are deleted. */
  readonly replace: boolean
  /** Reports the changes without making them. */
  readonly dryRun: boolean
  /** Gets the lines of the file that are ignored, or read differently from how they are written. Called before anything else can fail. */
  readonly onNotes: (notes: string) => void
}

export interface ZoneImported {
  readonly zone: string
  readonly account: string
  readonly serial: number
  /** Lines of a zone file. */
  readonly created: readonly string[]
  readonly ttlChanged: readonly string[]
  readonly deleted: readonly string[]
  /** How many records the zone holds now. */
  readonly records: number
}

/**
 * `svc dns import`: imports all records of a zone file, or none.
 * @throws OperatorError for a file that cannot be read, with every invalid line; ApiError for conflicting records
 */
export async function importZone(config: ZoneConfig, given: ZoneImport): Promise<ZoneImported> {
  const name = zone(given.zone)
  const email = given.email === undefined ? undefined : checkEmail(given.email)
  const { recordsMax, zoneBytesMax } = config.dns
  const records = readRecords(name, given, recordsMax)
  const options = { replace: given.replace, recordsMax, zoneBytesMax, now: timestamp(Date.now()) }
  return withExistingDatabase(config.database, async (db) => {
    const store = importStore(db)
    const account = actingBy(await holderOf(store, name, email), 'svc dns import')
    const plan = given.dryRun
      ? await store.plan(account, name, records, options)
      : await withPublisher(config, db, (publisher) => publisher.applyImport(account, name, records, options))
    return { ...imported(plan), account: account.email }
  })
}

function readRecords(name: string, { file, onNotes }: ZoneImport, recordsMax: number): ZoneFile['records'] {
  if (!isUtf8(file))
    throw new OperatorError('The file is not in UTF-8. If it is in Latin-1, convert it with iconv -f latin1 -t utf-8.')
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString()
  const { records, notes, otherNotes, problems } = readZoneFile(name, text, { recordsMax })
  if (notes.length > 0) onNotes(describeRemarks(notes, otherNotes))
  if (problems.length > 0) throw new OperatorError(`${describeRemarks(problems)}\nNothing was imported.`)
  // Most likely the wrong file; with --replace it would empty the zone.
  if (records.length === 0) throw new OperatorError(`The file has no records for ${name}: nothing was imported.`)
  return records
}

async function holderOf(store: ImportStore, name: string, email: string | undefined) {
  const holder = await store.holder(name)
  if (holder === undefined)
    throw new OperatorError(`No account has verified ${name}: claim it first, with POST /v1/dns/zones.`)
  if (email === undefined || email === holder.email) return holder
  throw new OperatorError(`${name} is verified for ${holder.email}, not for ${email}.`)
}

const imported = ({ zone: name, serial, after, created, ttlChanged, deleted }: ImportPlan) => ({
  zone: name,
  serial,
  created: created.map(writeRecord),
  ttlChanged: ttlChanged.map(writeRecord),
  deleted: deleted.map(writeRecord),
  records: after.length,
})

/** Writes an exported zone to a file. */
export async function saveZoneFile(file: string, text: string): Promise<void> {
  const isNew = !existsSync(file)
  await writeFile(file, text)
  if (isNew) giveToFolderOwner(file)
}

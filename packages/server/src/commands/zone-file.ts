import { isUtf8 } from 'node:buffer'
import { findCommitted } from '../areas/dns/publishing/outcome-store.js'
import { describeRemarks } from '../areas/dns/zone-file/import-plan.js'
import { readZoneFile, type ZoneFile } from '../areas/dns/zone-file/reader.js'
import { importRecords } from '../areas/dns/zone-file/import.js'
import { zoneImportStore, type ImportPlan, type ZoneImportStore } from '../areas/dns/zone-file/import-store.js'
import { printRecord, printZone } from '../areas/dns/zone-file/writer.js'
import { commandZoneLock } from '../areas/dns/publishing/zone-lock.js'
import { zoneStore } from '../areas/dns/zones/store.js'
import type { Config } from '../config.js'
import { OperatorError } from '../operator-error.js'
import { Deadline } from '../ports/dns/deadline.js'
import { checkEmail, zone } from './input.js'
import { writeStderr } from '../terminal.js'
import { withExistingDatabase } from './with-database.js'
import { withProvider } from './with-provider.js'

/** Milliseconds for finding out whether an import was committed, after the database connection was lost. */
const commitFoundWithinMs = 30_000

type ZoneConfig = Pick<Config, 'database' | 'dns'>

/** `svc dns export`: a zone as a master file, whether or not an account has it. @throws OperatorError where there is none */
export async function exportZone(config: ZoneConfig, zoneName: string): Promise<string> {
  const name = zone(zoneName)
  const { nameservers, hostmaster } = config.dns
  const contents = await withExistingDatabase(config.database, (db) => zoneImportStore(db).contents(name))
  if (contents === undefined) throw new OperatorError(`There is no zone ${name}: nobody has verified it yet.`)
  return printZone({ zone: name, nameservers, hostmaster, ...contents })
}

/** Maximum size of a zone file: ten times the records of a full zone. */
export const zoneFileMaxBytes = 64 * 2 ** 20

export interface ZoneImport {
  readonly zone: string
  /** At most `zoneFileMaxBytes`. */
  readonly file: Uint8Array
  /** Whose zone it must be; undefined for whoever has it. */
  readonly email: string | undefined
  /** Whether records that the file does not have are deleted. */
  readonly replace: boolean
  /** Whether to tell what would change and change nothing. */
  readonly dryRun: boolean
}

export interface ZoneImported {
  readonly zone: string
  readonly account: string
  readonly serial: number
  /** Lines of a master file. */
  readonly created: readonly string[]
  readonly retimed: readonly string[]
  readonly deleted: readonly string[]
  /** How many records the zone holds now. */
  readonly records: number
  /** What was passed over in the file, or read otherwise than written. */
  readonly notes: string
}

/**
 * `svc dns import`: all records of a master file, or none.
 * @throws OperatorError for a file that cannot be read, with every line at fault; ApiError for records that may not stand
 */
export async function importZone(config: ZoneConfig, given: ZoneImport): Promise<ZoneImported> {
  const name = zone(given.zone)
  const email = given.email === undefined ? undefined : checkEmail(given.email)
  const { recordsMax, zoneBytesMax } = config.dns
  const { records, notes, otherNotes } = readable(name, given.file, recordsMax)
  const options = { replace: given.replace, recordsMax, zoneBytesMax, now: new Date().toISOString() }
  return withExistingDatabase(config.database, async (db) => {
    const store = zoneImportStore(db)
    const account = await holderOf(store, name, email)
    const plan = given.dryRun
      ? await store.planned(account, name, records, options)
      : await withProvider(config.dns, db, (provider) =>
          importRecords(
            {
              ...{ store, provider, zones: zoneStore(db), withZoneLock: commandZoneLock(db.withLock) },
              findCommitted: (change) => findCommitted(db, change, Deadline.in(commitFoundWithinMs)),
              notGivenBack: (_, failure) =>
                writeStderr(
                  `The DNS provider may hold what the database does not: run svc dns sync --zone ${name} (${String(failure)}).\n`,
                ),
            },
            account,
            name,
            records,
            options,
          ),
        )
    return { ...told(plan), account: account.email, notes: describeRemarks(notes, otherNotes) }
  })
}

function readable(name: string, file: Uint8Array, recordsMax: number): ZoneFile {
  if (!isUtf8(file))
    throw new OperatorError('The file is not in UTF-8; iconv -f latin1 -t utf-8 is likely to turn it into that.')
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString()
  const read = readZoneFile(name, text, { recordsMax })
  if (read.problems.length > 0) throw new OperatorError(`${describeRemarks(read.problems)}\nNothing was imported.`)
  // With --replace it would empty the zone, and more likely it is the wrong file.
  if (read.records.length === 0) throw new OperatorError(`The file has no records for ${name}: nothing was imported.`)
  return read
}

async function holderOf(store: ZoneImportStore, name: string, email: string | undefined) {
  const holder = await store.holder(name)
  if (holder === undefined)
    throw new OperatorError(`No account has verified ${name}: claim it first, with POST /v1/dns/zones.`)
  if (email === undefined || email === holder.email) return holder
  throw new OperatorError(`${name} is verified for ${holder.email}, not for ${email}.`)
}

const told = ({ zone: name, serial, after, created, retimed, deleted }: ImportPlan) => ({
  zone: name,
  serial,
  created: created.map(printRecord),
  retimed: retimed.map(printRecord),
  deleted: deleted.map(printRecord),
  records: after.length,
})

import type { Account } from '../../http/handler.js'
import type { Exclusively } from '../../db/in-turns.js'
import type { Dns } from '../../ports/dns/port.js'
import type { ImportOptions } from './import-rules.js'
import type { StoredRecord } from './record-plan.js'
import { nextSerial } from './serial-rules.js'
import type { ReadRecord } from './zone-records-rules.js'
import { changesNothing, type ImportPlan, type ZoneImportStore } from './zone-import-store.js'
import { rrsetsOf } from './zone-store.js'

interface ImportParts {
  readonly store: ZoneImportStore
  /** Undefined for the embedded nameserver: the server it runs in follows the database (zone-follower.ts). */
  readonly provider: Dns | undefined
  readonly exclusively: Exclusively
}

/**
 * Imports records and has them served. A provider is asked first, as for every change of the API: when it or the commit
 * fails, nothing has changed in the database, and the provider is given back what it had. It gets the zone as a whole,
 * which may take it several requests; what a failure between them leaves behind is found by `svc dns sync`.
 */
export async function importRecords(
  { store, provider, exclusively }: ImportParts,
  account: Pick<Account, 'id'>,
  zone: string,
  read: readonly ReadRecord[],
  options: ImportOptions,
): Promise<ImportPlan> {
  if (provider === undefined) return store.import(account, zone, read, options)
  return exclusively(zone, async () => {
    const plan = await store.planned(account, zone, read, options)
    if (changesNothing(plan)) return plan
    const serve = (rows: readonly StoredRecord[]) =>
      provider.setZone({ zone, serial: nextSerial(plan.serial), rrsets: rrsetsOf(zone, rows) })
    try {
      await serve(plan.after)
      return await store.import(account, zone, read, options)
    } catch (error) {
      await serve(plan.before)
      throw error
    }
  })
}

import { ApiError } from '@svc/contract/errors'
import type { Account } from '../../../shared/account.js'
import type { Dns } from '../../../ports/dns/port.js'
import type { ExpectedChange } from '../publishing/outcome-store.js'
import type { ImportOptions } from './import-plan.js'
import type { NotGivenBack } from '../publishing/before-commit.js'
import { nextSerial } from '../zones/serial.js'
import { serveStored } from '../publishing/stored-zone.js'
import type { ReadRecord } from './records.js'
import { changesNothing, type ImportPlan, type ZoneImportStore } from './import-store.js'
import type { WithZoneLock } from '../publishing/zone-lock.js'
import { rrsetsOf, type ZoneStore } from '../zones/store.js'

interface ImportParts {
  readonly store: ZoneImportStore
  readonly zones: Pick<ZoneStore, 'contents' | 'version'>
  /** Undefined for the embedded nameserver: the server it runs in follows the database (zone-follower.ts). */
  readonly provider: Dns | undefined
  readonly withZoneLock: WithZoneLock
  /** Whether a change was committed although its commit failed. @throws if that cannot be determined */
  readonly findCommitted: (change: ExpectedChange) => Promise<boolean>
  readonly notGivenBack: NotGivenBack
}

/**
 * Imports records and has them served. A provider is asked first, as for every change of the API: when it or the commit
 * fails, nothing has changed in the database, and the provider's zone is restored from the database. The provider gets the
 * whole zone, in several requests if it is large; `svc dns sync` repairs a failure between them.
 */
export async function importRecords(
  { store, zones, provider, withZoneLock, findCommitted, notGivenBack }: ImportParts,
  account: Pick<Account, 'id'>,
  zone: string,
  read: readonly ReadRecord[],
  options: ImportOptions,
): Promise<ImportPlan> {
  if (provider === undefined) return store.import(account, zone, read, options)
  return withZoneLock(zone, async ({ work, restore }) => {
    const plan = await store.planned(account, zone, read, options)
    if (changesNothing(plan)) return plan
    const commit = async (): Promise<ImportPlan> => {
      try {
        return await store.import(account, zone, read, options)
      } catch (error) {
        if (error instanceof ApiError || !(await findCommitted(expected(plan)))) throw error
        return { ...plan, serial: nextSerial(plan.serial) }
      }
    }
    let committed: ImportPlan
    try {
      await provider.setZone({ zone, serial: nextSerial(plan.serial), rrsets: rrsetsOf(zone, plan.after) }, work)
      committed = await commit()
    } catch (error) {
      await serveStored(zones, provider, zone, restore).catch((failure: unknown) => notGivenBack(zone, failure))
      throw error
    }
    // Another process has changed the zone, so this one must have lost the lock.
    if (committed.serial !== nextSerial(plan.serial)) await serveStored(zones, provider, zone, restore)
    return committed
  })
}

const expected = ({ zone, zoneId, serial, after, deleted }: ImportPlan): ExpectedChange => ({
  ...{ zone, zoneId, serial, written: after, deleted: deleted.map(({ id }) => id) },
})

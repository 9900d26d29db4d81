import type { Account } from '../../../shared/account.js'
import { providerWriter, type ProviderWriterOptions } from '../publishing/before-commit.js'
import type { CanonicalRecord, GivenChanges } from './record.js'
import type { Plan, StoredRecord } from './plan.js'
import type { RecordStore } from './store.js'
import type { WithZoneLock } from '../publishing/zone-lock.js'

/** Told of each change that this process has published: it need not look for it. */
export type Published = (zone: string, serial: number) => void

interface WriterOptions extends ProviderWriterOptions {
  readonly records: RecordStore
  /** What all writes to a provider share, so that none comes between. */
  readonly withZoneLock: WithZoneLock
  readonly published: Published
}

export type RecordWriter = ReturnType<typeof recordWriter>

/** Changes records in the database and where they are served from, so that the next query sees what was answered. */
export function recordWriter({ records, withZoneLock, published, ...options }: WriterOptions) {
  const { dns, zoneContents } = options
  const publishThenCommit = providerWriter(options)

  /** The embedded nameserver takes over what is committed. */
  async function commitThenPublish(commit: () => Promise<Plan>): Promise<StoredRecord> {
    const { zone, serial, step, after, record } = await commit()
    if (step === 'none') return record
    // A zone that another process made a moment ago is not known here yet: it is taken over whole.
    await dns.publish({ zone, serial, rrsets: after }).catch(async () => dns.setZone(await zoneContents(zone)))
    published(zone, serial)
    return record
  }

  const change = (zone: string, planned: () => Promise<Plan>, commit: () => Promise<Plan>): Promise<StoredRecord> =>
    dns.external
      ? withZoneLock(zone, async (time) => publishThenCommit(await planned(), commit, time))
      : commitThenPublish(commit)

  return {
    create(account: Account, zone: string, record: CanonicalRecord): Promise<StoredRecord> {
      const now = new Date().toISOString()
      return change(
        zone,
        () => records.planned.create(account, zone, record, now),
        () => records.create(account, zone, record, now),
      )
    },

    update(account: Account, zone: string, id: number, changes: GivenChanges): Promise<StoredRecord> {
      const now = new Date().toISOString()
      return change(
        zone,
        () => records.planned.update(account, zone, id, changes, now),
        () => records.update(account, zone, id, changes, now),
      )
    },

    delete(account: Account, zone: string, id: number): Promise<StoredRecord> {
      return change(
        zone,
        () => records.planned.delete(account, zone, id),
        () => records.delete(account, zone, id),
      )
    },
  }
}

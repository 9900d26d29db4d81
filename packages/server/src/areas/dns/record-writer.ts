import type { Account } from '../../http/handler.js'
import type { Dns, RRset, Zone } from '../../ports/dns/port.js'
import type { Exclusively } from '../../db/in-turns.js'
import type { CanonicalRecord, GivenChanges } from './record.js'
import type { Plan, StoredRecord } from './record-plan.js'
import type { RecordStore } from './record-store.js'
import { nextSerial } from './serial-rules.js'

/** Told of each change that this process has published: it need not look for it. */
export type Published = (zone: string, serial: number) => void

interface WriterOptions {
  readonly records: RecordStore
  readonly dns: Dns
  /** A zone as its rows have it. */
  readonly zoneContents: (zone: string) => Promise<Zone>
  /** What all writes to a provider share, so that none comes between. */
  readonly exclusively: Exclusively
  readonly published: Published
}

export type RecordWriter = ReturnType<typeof recordWriter>

/** Changes records in the database and where they are served from, so that the next query sees what was answered. */
export function recordWriter({ records, dns, zoneContents, exclusively, published }: WriterOptions) {
  /** The embedded nameserver takes over what is committed. */
  async function commitThenPublish(commit: () => Promise<Plan>): Promise<StoredRecord> {
    const { zone, serial, step, after, record } = await commit()
    if (step === 'none') return record
    // A zone that another process made a moment ago is not known here yet: it is taken over whole.
    await dns.publish({ zone, serial, rrsets: after }).catch(async () => dns.setZone(await zoneContents(zone)))
    published(zone, serial)
    return record
  }

  /** A provider is asked first: when it fails, nothing has changed; when the commit fails, it gets back what it had. */
  async function publishThenCommit(planned: () => Promise<Plan>, commit: () => Promise<Plan>): Promise<StoredRecord> {
    const plan = await planned()
    const publish = (rrsets: readonly RRset[]) =>
      dns.publish({ zone: plan.zone, serial: nextSerial(plan.serial), rrsets })
    if (plan.step === 'none') return plan.record
    await publish(plan.after)
    try {
      return (await commit()).record
    } catch (error) {
      await publish(plan.before)
      throw error
    }
  }

  const change = (zone: string, planned: () => Promise<Plan>, commit: () => Promise<Plan>): Promise<StoredRecord> =>
    dns.external ? exclusively(zone, () => publishThenCommit(planned, commit)) : commitThenPublish(commit)

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

import type { Account } from '../../http/handler.js'
import { OutcomeUnknown, type Dns, type RRset, type Zone } from '../../ports/dns/port.js'
import type { Exclusively } from '../../db/in-turns.js'
import type { CanonicalRecord, GivenChanges } from './record.js'
import type { Plan, StoredRecord } from './record-plan.js'
import type { RecordStore } from './record-store.js'
import { nextSerial } from './serial-rules.js'

/** Told of each change that this process has published: it need not look for it. */
export type Published = (zone: string, serial: number) => void

/** Told when a provider may hold what the database does not. */
export type NotGivenBack = (zone: string, error: unknown) => void

interface WriterOptions {
  readonly records: RecordStore
  readonly dns: Dns
  /** A zone as its rows have it. */
  readonly zoneContents: (zone: string) => Promise<Zone>
  /** What all writes to a provider share, so that none comes between. */
  readonly exclusively: Exclusively
  readonly published: Published
  readonly notGivenBack: NotGivenBack
}

export type RecordWriter = ReturnType<typeof recordWriter>

/** Changes records in the database and where they are served from, so that the next query sees what was answered. */
export function recordWriter({ records, dns, zoneContents, exclusively, published, notGivenBack }: WriterOptions) {
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
      ? exclusively(zone, async () => publishThenCommit(dns, await planned(), commit, notGivenBack))
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

/** A provider is asked first: when it fails, nothing has changed; when the commit fails, it gets back what it had. */
async function publishThenCommit(
  dns: Dns,
  { zone, serial, step, record, before, after }: Plan,
  commit: () => Promise<Plan>,
  notGivenBack: NotGivenBack,
): Promise<StoredRecord> {
  if (step === 'none') return record
  const publish = (rrsets: readonly RRset[]) => dns.publish({ zone, serial: nextSerial(serial), rrsets })
  const giveBack = () => publish(before).catch((error: unknown) => notGivenBack(zone, error))
  try {
    await publish(after)
  } catch (error) {
    if (error instanceof OutcomeUnknown) await giveBack()
    throw error
  }
  try {
    return (await commit()).record
  } catch (error) {
    await giveBack()
    throw error
  }
}

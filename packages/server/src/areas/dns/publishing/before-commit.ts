import { ApiError } from '@svc/contract/errors'
import type { Deadline } from '../../../ports/dns/deadline.js'
import { OutcomeUnknown, type Dns, type RRset, type Zone } from '../../../ports/dns/port.js'
import type { ExpectedChange } from './outcome-store.js'
import type { Plan, StoredRecord } from '../records/plan.js'
import { nextSerial } from '../zones/serial.js'
import type { WriteTime } from './zone-lock.js'

/** Called when the provider and the database may differ. */
export type NotGivenBack = (zone: string, error: unknown) => void

export interface ProviderWriterOptions {
  readonly dns: Dns
  /** A zone as its rows have it. */
  readonly zoneContents: (zone: string) => Promise<Zone>
  /** Whether a change was committed although its commit failed. @throws if that cannot be determined */
  readonly findCommitted: (change: ExpectedChange, deadline: Deadline | undefined) => Promise<boolean>
  readonly notGivenBack: NotGivenBack
}

/**
 * Changes records at an external provider and in the database, under the zone's lock. The provider is asked first: when
 * it fails, nothing has changed; when the commit fails, its records are restored from the database.
 */
export function providerWriter({ dns, zoneContents, findCommitted, notGivenBack }: ProviderWriterOptions) {
  return async function write(plan: Plan, commit: () => Promise<Plan>, time: WriteTime): Promise<StoredRecord> {
    const { zone, serial, step, record, before, after } = plan
    if (step === 'none') return record
    const publish = (rrsets: readonly RRset[], deadline: Deadline | undefined) =>
      dns.publish({ zone, serial: nextSerial(serial), rrsets }, deadline)
    const restore = (rrsets: readonly RRset[]) =>
      publish(rrsets, time.restore).catch((error: unknown) => notGivenBack(zone, error))

    /** The rows of the RRsets that the change touches, as the database has them now. */
    async function stored(): Promise<RRset[]> {
      const { rrsets } = await zoneContents(zone)
      return before.map(
        (set) => rrsets.find(({ name, type }) => name === set.name && type === set.type) ?? { ...set, records: [] },
      )
    }

    /** @returns the record where the change was committed after all */
    async function commitFailed(error: unknown): Promise<StoredRecord> {
      try {
        if (!(error instanceof ApiError) && (await findCommitted(expected(plan), time.restore))) return record
        await restore(await stored())
      } catch (unknown) {
        // Either may be right: the provider is left as it is.
        notGivenBack(zone, unknown)
      }
      throw error
    }

    try {
      await publish(after, time.work)
    } catch (error) {
      if (error instanceof OutcomeUnknown) await restore(before)
      throw error
    }
    try {
      const committed = await commit()
      // Another process has changed the zone, so this one must have lost the lock.
      if (committed.serial !== nextSerial(serial)) await restore(committed.after)
      return committed.record
    } catch (error) {
      return commitFailed(error)
    }
  }
}

const expected = ({ zone, zoneId, serial, step, record }: Plan): ExpectedChange =>
  step === 'delete'
    ? { zone, zoneId, serial, written: [], deleted: [record.id] }
    : { zone, zoneId, serial, written: [record], deleted: [] }

import { ApiError, badRequest } from '@svc/contract/errors'
import type { HostRecord, HostRecords, HostTarget } from '../../../shared/host-records.js'
import type { Publisher } from '../publisher.js'
import { hostName, relativeHost } from '../values/host.js'
import { requireRecords } from '../zones/record-rules.js'
import { checkRecord } from './check.js'
import type { CanonicalRecord, StoredRecord } from './record.js'
import type { RecordStore } from './store.js'

/** The records of hosts that are sites. */
export function hostRecords(
  records: Pick<RecordStore, 'allAt'>,
  publisher: Pick<Publisher, 'applyChange'>,
): HostRecords {
  const requireAllowed: HostRecords['requireAllowed'] = ({ rules }, zone, name, targets) => {
    const host = hostIn(zone, name)
    requireRecords({ rules, zone }, { added: targets.map(({ type }) => ({ host, type })) })
  }
  return {
    requireAllowed,
    async missing(account, zone, name, targets) {
      const wanted = recordsOf(zone, name, targets)
      const before = await records.allAt(account, zone, hostIn(zone, name))
      requireNoOtherAddress(before, wanted)
      return targets.filter(
        (_, index) => !before.some((existing) => isSame(existing, wanted[index] as CanonicalRecord)),
      )
    },
    async create(account, zone, name, targets) {
      const records: HostRecord[] = []
      const created: HostRecord[] = []
      // One after another: at most a few, and the first failure ends them.
      for (const [index, record] of recordsOf(zone, name, targets).entries()) {
        const { record: stored, step } = await publisher.applyChange(account, zone, { kind: 'create', record })
        const { type } = targets[index] as HostTarget
        records.push({ id: stored.id, type, value: stored.value })
        if (step === 'insert') created.push(...records.slice(-1))
      }
      return { records, created }
    },
    async remove(account, zone, name, targets) {
      requireAllowed(account, zone, name, targets)
      await ignoreMissing(async () => {
        const created = recordsOf(zone, name, targets)
        for (const record of await records.allAt(account, zone, hostIn(zone, name)))
          if (created.some((same) => isSame(same, record)))
            await ignoreMissing(async () => {
              await publisher.applyChange(account, zone, { kind: 'delete', id: record.id })
            })
      })
    },
  }
}

/** @param name the full name of a host @returns relative to the zone */
const hostIn = (zone: string, name: string): string => hostName(zone, relativeHost(zone, name) ?? name)

const recordsOf = (zone: string, name: string, targets: readonly HostTarget[]): CanonicalRecord[] =>
  targets.map(({ type, value }) => checkRecord(zone, { type, value, host: hostIn(zone, name) }))

/** DNS allows several addresses at a host, but then only some of the visitors would get to this server. */
function requireNoOtherAddress(before: readonly StoredRecord[], wanted: readonly CanonicalRecord[]): void {
  const other = before.find(
    (record) => isAddress(record) && wanted.some(isAddress) && !wanted.some((same) => isSame(same, record)),
  )
  if (other !== undefined)
    throw badRequest(
      'host',
      `has another address: ${other.host} has an ${other.type} record (id ${other.id}, ${other.value}), delete it first`,
    )
}

const isAddress = ({ type }: CanonicalRecord): boolean => type === 'A' || type === 'AAAA'

const isSame = (one: CanonicalRecord, other: CanonicalRecord): boolean =>
  one.type === other.type && one.value === other.value

/** A record that is gone, or a zone that the account has lost. */
async function ignoreMissing(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 'not_found' && error.code !== 'forbidden_zone')) throw error
  }
}

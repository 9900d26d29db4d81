import { ApiError, badRequest } from '@svc/contract/errors'
import type { Account } from '../../../shared/account.js'
import type { HostRecord, HostRecords } from '../../../shared/host-records.js'
import type { Publisher } from '../publisher.js'
import { hostName, relativeHost } from '../values/host.js'
import { checkRecord } from './check.js'
import type { CanonicalRecord, StoredRecord } from './record.js'
import type { RecordStore } from './store.js'

/** The records of hosts that are sites. */
export function hostRecords(
  records: Pick<RecordStore, 'at' | 'get'>,
  publisher: Pick<Publisher, 'applyChange'>,
): HostRecords {
  const remove = async (account: Account, zone: string, created: readonly HostRecord[]) => {
    for (const { id, type, value } of created)
      await ignoreMissing(async () => {
        const record = await records.get(account, zone, id)
        if (record.type === type && record.value === value)
          await publisher.applyChange(account, zone, { kind: 'delete', id })
      })
  }
  return {
    remove,
    async create(account, zone, name, targets) {
      const host = hostName(zone, relativeHost(zone, name) ?? name)
      const wanted = targets.map((target) => checkRecord(zone, { ...target, host }))
      const before = await records.at(account, zone, host)
      requireNoOtherAddress(before, wanted)
      const created: (HostRecord & { readonly isNew: boolean })[] = []
      try {
        // One after another: at most a few, and the first failure ends them.
        for (const [index, record] of wanted.entries()) {
          const { id, value } = await publisher.applyChange(account, zone, { kind: 'create', record })
          const { type } = targets[index] as HostRecord
          created.push({ id, type, value, isNew: before.every((existing) => existing.id !== id) })
        }
      } catch (error) {
        await remove(
          account,
          zone,
          created.filter(({ isNew }) => isNew),
        )
        throw error
      }
      return created.map(({ id, type, value }) => ({ id, type, value }))
    },
  }
}

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

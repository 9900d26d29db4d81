import { queryOptions } from '@tanstack/react-query'
import { changeAnswer } from '../../parts/api/change-answer.js'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { compareRecords, inserted } from './record-order.js'

export type Claim = Awaited<ReturnType<typeof client.dns.zoneGet>>
export type ListedClaim = Awaited<ReturnType<typeof client.dns.zoneList>>['zones'][number]
export type Delegation = Awaited<ReturnType<typeof client.dns.delegation>>
type RecordList = Awaited<ReturnType<typeof client.dns.recordList>>
export type DnsRecord = RecordList['records'][number]
export type WrittenRecord = Awaited<ReturnType<typeof client.dns.recordCreate>>
export type Verification = Awaited<ReturnType<typeof client.dns.zoneVerify>>

/** All zone claims of the account. */
export const zonesQuery = queryOptions({
  queryKey: ['dns', 'zoneList'],
  queryFn: () => client.dns.zoneList({ status: 'all' }),
})

/** One zone claim. */
export const zoneQuery = (zone: string) =>
  queryOptions({ queryKey: ['dns', 'zoneGet', zone], queryFn: () => client.dns.zoneGet({ zone }) })

/** Whether the public DNS has the nameservers of this server for a zone. Asked when its page opens, and when the user wants it. */
export const delegationQuery = (zone: string) =>
  queryOptions({
    queryKey: ['dns', 'delegation', zone],
    queryFn: () => client.dns.delegation({ zone }),
    refetchOnWindowFocus: false,
  })

/** All records of a verified zone, in their order. */
export const recordsQuery = (zone: string) =>
  queryOptions({
    queryKey: ['dns', 'recordList', zone],
    queryFn: async () => {
      const list = await client.dns.recordList({ zone })
      return { ...list, records: list.records.toSorted(compareRecords) }
    },
  })

/** Begins the keys of all reads of the history of a zone. */
export const historyKey = (zone: string) => ['dns', 'history', zone] as const

/** After a change of many records. */
export const recordsChanged = (zone: string) =>
  Promise.all(
    [recordsQuery(zone).queryKey, historyKey(zone)].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  )

/** Takes back exactly one change of a zone. @throws SvcError if a later change is in the way */
export async function takeBack(zone: string, serial: number): Promise<void> {
  await client.dns.historyRevert({ zone, serial })
  await recordsChanged(zone)
}

/** After a change of a claim. */
export const zonesChanged = () => queryClient.invalidateQueries({ queryKey: ['dns'] })

/**
 * Changes the list of records in memory. The answer of a write is the record as it is now, so a list of 10,000 records is not read
 * again after each change.
 */
function updateRecords(zone: string, change: (records: readonly DnsRecord[]) => DnsRecord[]): void {
  changeAnswer<RecordList>(recordsQuery(zone).queryKey, (list) => ({ ...list, records: change(list.records) }))
}

/** Puts created or updated records into the list. The other records of their type and host got their ttl. */
export function keepRecords(zone: string, written: readonly WrittenRecord[]): void {
  updateRecords(zone, (records) => written.reduce(withRecord, [...records]))
}

function withRecord(records: readonly DnsRecord[], { ttl_changed: ttlChanged = [], ...record }: WrittenRecord) {
  const withNewTtl = new Set(ttlChanged)
  const others = records
    .filter(({ id }) => id !== record.id)
    .map((other) => (withNewTtl.has(other.id) ? { ...other, ttl: record.ttl } : other))
  return inserted(others, record)
}

/** Takes deleted records out of the list. */
export const dropRecords = (zone: string, deleted: ReadonlySet<number>): void =>
  updateRecords(zone, (records) => records.filter(({ id }) => !deleted.has(id)))

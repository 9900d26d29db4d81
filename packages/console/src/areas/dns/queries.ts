import { queryOptions } from '@tanstack/react-query'
import { changeAnswer } from '../../app/change-answer.js'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'

export type Claim = Awaited<ReturnType<typeof client.dns.zoneGet>>
export type ListedClaim = Awaited<ReturnType<typeof client.dns.zoneList>>['zones'][number]
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

/** All records of a verified zone. */
export const recordsQuery = (zone: string) =>
  queryOptions({ queryKey: ['dns', 'recordList', zone], queryFn: () => client.dns.recordList({ zone }) })

/** After a change of a claim. */
export const zonesChanged = () => queryClient.invalidateQueries({ queryKey: ['dns'] })

/**
 * Changes the list of records in memory. The answer of a write is the record as it is now, so a list of 10,000 records is not read
 * again after each change.
 */
function updateRecords(zone: string, change: (records: readonly DnsRecord[]) => DnsRecord[]): void {
  changeAnswer<RecordList>(recordsQuery(zone).queryKey, (list) => ({ ...list, records: change(list.records) }))
}

/** Puts a created or updated record into the list. The other records of its type and host got its ttl. */
export function keepRecord(zone: string, { ttl_changed: ttlChanged = [], ...record }: WrittenRecord): void {
  const withNewTtl = new Set(ttlChanged)
  updateRecords(zone, (records) => {
    const others = records.map((other) => (withNewTtl.has(other.id) ? { ...other, ttl: record.ttl } : other))
    const isKnown = others.some(({ id }) => id === record.id)
    return isKnown ? others.map((other) => (other.id === record.id ? record : other)) : [...others, record]
  })
}

/** Takes a deleted record out of the list. */
export const dropRecord = (zone: string, deleted: number): void =>
  updateRecords(zone, (records) => records.filter(({ id }) => id !== deleted))

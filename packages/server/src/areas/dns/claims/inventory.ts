import { ApiError, badRequest } from '@svc/contract/errors'
import { ttlMax, ttlMin } from '@svc/contract/limits'
import type { Inventory, RRset, RRsetRecord } from '../../../ports/dns/port.js'
import { recordTypeRules } from '../../../ports/dns/types/index.js'
import { quoted } from '../../../shared/quoted.js'
import type { CanonicalRecord } from '../records/record.js'
import { checkRecord } from '../records/check.js'
import { relativeHost } from '../values/host.js'
import type { ReadRecord } from '../zone-file/records.js'

/** The part of a provider's zone that an account takes over. */
export interface TakenInventory {
  readonly records: readonly ReadRecord[]
  /** Differences between the provider's records and those taken over, such as a raised ttl. */
  readonly notes: readonly string[]
  /** Records that svc cannot represent, each with the reason. A single one prevents the adoption. */
  readonly problems: readonly string[]
}

/** Checks a provider's zone by the rules of the API. */
export function readInventory(zone: string, { rrsets, unreadable }: Inventory): TakenInventory {
  const records: ReadRecord[] = []
  const notes: string[] = []
  const problems = unreadable.map(
    ({ name, type, content }) => `${name} ${type} ${quoted(content)}: svc cannot read this content.`,
  )
  for (const set of rrsets) {
    const ttl = Math.min(Math.max(set.ttl, ttlMin), ttlMax)
    if (ttl !== set.ttl) notes.push(`${set.name} ${set.type}: its ttl of ${set.ttl} becomes ${ttl}`)
    for (const record of set.records) {
      try {
        records.push({ line: records.length + 1, record: canonical(zone, { ...set, ttl }, record) })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        problems.push(`${set.name} ${set.type} ${quoted(record.value)}: ${error.message}`)
      }
    }
  }
  return { records, notes, problems }
}

function canonical(zone: string, { name, type, ttl }: RRset, { value, priority }: RRsetRecord): CanonicalRecord {
  const { toGiven } = recordTypeRules[type]
  const given = { type, host: hostOf(zone, name), value: toGiven?.(value) ?? value, ttl }
  return checkRecord(zone, priority === null ? given : { ...given, priority })
}

function hostOf(zone: string, name: string): string {
  const host = relativeHost(zone, name)
  if (host !== undefined) return host
  throw badRequest('host', `is not in the zone ${zone}`)
}

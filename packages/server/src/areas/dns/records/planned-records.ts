import { ApiError } from '@svc/contract/errors'
import { HostIndex } from './host-index.js'
import type { PlannedZone } from './plan.js'
import type { CanonicalRecord, StoredRecord } from './record.js'
import { allContentBytes } from './rrset.js'

/** The records that one change of a batch removes and writes, without those that only get the ttl of another one. */
export interface StepEffect {
  readonly removed: readonly StoredRecord[]
  readonly added: readonly StoredRecord[]
}

/** The records of one host and type before a batch. */
interface SetBefore {
  readonly host: string
  readonly type: StoredRecord['type']
  /** By id. */
  readonly rows: StoredRecord[]
}

/** The same with those after it. */
export interface TouchedSet extends SetBefore {
  readonly after: readonly StoredRecord[]
}

/** The records of a zone as the changes of a batch so far have left them. A step costs as much as the records that it writes. */
export class PlannedRecords {
  readonly #hosts = new Map<string, HostIndex<StoredRecord>>()
  /** The written form of each record, by id. Its RRset may have got another ttl since. */
  readonly #byId = new Map<number, StoredRecord>()
  /** The changes that created records, by the records' ids. */
  readonly #createdBy = new Map<number, number>()
  /** The RRsets at the hosts. */
  readonly #sets = new Map<string, SetBefore>()
  readonly #touched = new Set<SetBefore>()
  #zone: PlannedZone
  #count: number

  /** @param count how many records the account has in the zone, or more */
  constructor(zone: PlannedZone, count: number) {
    this.#zone = zone
    this.#count = count
  }

  get zone(): PlannedZone {
    return this.#zone
  }

  get count(): number {
    return this.#count
  }

  /** Adds a record of before the batch. */
  add(row: StoredRecord): void {
    this.at(row.host).add(row)
    this.#byId.set(row.id, row)
    this.#setOf(row).rows.push(row)
  }

  /** @returns the records at a host */
  at(host: string): HostIndex<StoredRecord> {
    const known = this.#hosts.get(host)
    if (known !== undefined) return known
    const index = new HostIndex<StoredRecord>()
    this.#hosts.set(host, index)
    return index
  }

  /** @returns undefined for an unknown id */
  get(id: number): StoredRecord | undefined {
    const record = this.#byId.get(id)
    return record && this.at(record.host).get(record)
  }

  /** The records of one host and type, by id. */
  setAt({ host, type }: Pick<StoredRecord, 'host' | 'type'>): StoredRecord[] {
    return [...this.at(host).records(type)].sort(byId)
  }

  /** A record of before the batch that has the host, type, value and priority of another one, and has been removed since. */
  removedLike(record: CanonicalRecord): StoredRecord | undefined {
    const { rows } = this.#setOf(record)
    if (rows.length === 0) return undefined
    const now = this.at(record.host)
    return rows.find((row) => row.value === record.value && row.priority === record.priority && !now.get(row))
  }

  /** Applies the effect of a change. @param position of the change */
  apply({ removed, added }: StepEffect, position: number): void {
    let { last_record_id } = this.#zone
    for (const record of removed) {
      this.at(record.host).remove(record)
      this.#byId.delete(record.id)
      this.#touched.add(this.#setOf(record))
    }
    for (const record of added) {
      this.at(record.host).put(record)
      this.#byId.set(record.id, record)
      this.#touched.add(this.#setOf(record))
      if (record.id <= last_record_id) continue
      this.#createdBy.set(record.id, position)
      last_record_id = record.id
    }
    this.#count += added.length - removed.length
    const content_bytes = this.#zone.content_bytes + growthOf({ removed, added })
    this.#zone = { ...this.#zone, last_record_id, content_bytes }
  }

  /** The RRsets that the changes have touched. */
  *touchedSets(): Generator<TouchedSet> {
    for (const set of this.#touched) yield { ...set, after: this.setAt(set) }
  }

  /** An error that names records that the batch itself creates by their changes: their ids do not exist yet. */
  nameCreated({ code, message, extra, headers, about }: ApiError): ApiError {
    const named = (text: string) =>
      text.replace(/(?<=\()id (\d+)(?=[,)])|(?<=duplicate of )record (\d+)(?=:)/, (given, id, record) => {
        const position = this.#createdBy.get(Number(id ?? record))
        return position === undefined ? given : `changes[${position}]`
      })
    return new ApiError(code, named(message), extra, headers, about && { ...about, problem: named(about.problem) })
  }

  #setOf({ host, type }: Pick<StoredRecord, 'host' | 'type'>): SetBefore {
    const key = `${host} ${type}`
    const known = this.#sets.get(key)
    if (known !== undefined) return known
    const set = { host, type, rows: [] }
    this.#sets.set(key, set)
    return set
  }
}

export const byId = (a: Pick<StoredRecord, 'id'>, b: Pick<StoredRecord, 'id'>): number => a.id - b.id

/** By how many bytes the content of the zone grows. */
export const growthOf = ({ removed, added }: StepEffect): number => allContentBytes(added) - allContentBytes(removed)

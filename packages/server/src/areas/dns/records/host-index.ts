import type { RecordType } from '@svc/contract'
import { rdataSize } from '../../../ports/dns/types/rdata.js'
import { recordOverhead } from '../../../ports/dns/types/rrset-limit.js'
import type { CanonicalRecord, ExistingRecord } from './record.js'

interface IndexedSet<R> {
  readonly records: Map<number, R>
  readonly byData: Map<string, R>
  /** In one DNS answer. */
  bytes: number
  /** Of all its records, once one of them was put; undefined while each record has its own. */
  ttl: number | undefined
}

const dataOf = ({ value, priority }: CanonicalRecord): string => `${priority ?? ''} ${value}`

const answerBytes = ({ type, value }: CanonicalRecord): number => recordOverhead + rdataSize(type, value)

/**
 * The records at one host, of all types. A record is found, put and removed without a look at the others: a batch of 500 changes to
 * an RRset of 4,000 records would otherwise take seconds.
 */
export class HostIndex<R extends ExistingRecord> {
  readonly #sets = new Map<RecordType, IndexedSet<R>>()

  constructor(rows: Iterable<R> = []) {
    for (const row of rows) this.add(row)
  }

  /** Adds an existing record, which leaves the ttl of the others. */
  add(record: R): void {
    const set = this.#sets.get(record.type) ?? { records: new Map(), byData: new Map(), bytes: 0, ttl: undefined }
    this.#sets.set(record.type, set)
    set.records.set(record.id, record)
    set.byData.set(dataOf(record), record)
    set.bytes += answerBytes(record)
  }

  /** Writes a record, in place of the one with its id. The whole RRset gets its ttl (RFC 2181, section 5.2). */
  put(record: R): void {
    this.remove(record)
    this.add(record)
    const set = this.#sets.get(record.type)
    if (set !== undefined) set.ttl = record.ttl
  }

  remove({ id, type }: Pick<R, 'id' | 'type'>): void {
    const set = this.#sets.get(type)
    const record = set?.records.get(id)
    if (set === undefined || record === undefined) return
    set.records.delete(id)
    if (set.byData.get(dataOf(record)) === record) set.byData.delete(dataOf(record))
    set.bytes -= answerBytes(record)
  }

  /** @returns undefined for an unknown id */
  get({ id, type }: Pick<R, 'id' | 'type'>): R | undefined {
    const set = this.#sets.get(type)
    const record = set?.records.get(id)
    return set && record && withTtl(set, record)
  }

  /**
   * The record that has the type, value and priority of another one. The ttl does not count: it belongs to the RRset (RFC 2181,
   * section 5.2).
   */
  duplicateOf(record: CanonicalRecord): R | undefined {
    const set = this.#sets.get(record.type)
    const found = set?.byData.get(dataOf(record))
    return set && found && withTtl(set, found)
  }

  /** The types that have records. @param except a record, or all of a type, that does not count */
  types(except: Partial<Pick<R, 'id' | 'type'>> = {}): RecordType[] {
    const types: RecordType[] = []
    for (const [type, { records }] of this.#sets) {
      const left = except.id !== undefined && records.has(except.id) ? 1 : 0
      if (records.size > left && (except.id !== undefined || type !== except.type)) types.push(type)
    }
    return types
  }

  /** The size of an RRset in an answer, names in the data not compressed. @param except a record that does not count */
  bytesOf(type: RecordType, except?: ExistingRecord): number {
    const set = this.#sets.get(type)
    const left = except && set?.records.get(except.id)
    return (set?.bytes ?? 0) - (left === undefined ? 0 : answerBytes(left))
  }

  /** The records of a type, or of all types. */
  *records(only?: RecordType): Generator<R> {
    for (const [type, set] of this.#sets)
      if (type === (only ?? type)) for (const record of set.records.values()) yield withTtl(set, record)
  }
}

/** With the ttl of its RRset. */
const withTtl = <R extends ExistingRecord>({ ttl = NaN }: IndexedSet<R>, record: R): R =>
  Number.isNaN(ttl) || ttl === record.ttl ? record : { ...record, ttl }

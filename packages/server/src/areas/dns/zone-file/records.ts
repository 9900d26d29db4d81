import type { CanonicalRecord } from '../records/record.js'
import type { Remark } from './lexer.js'

/** A record and the line that it begins on. */
export interface ReadRecord {
  readonly line: number
  readonly record: CanonicalRecord
}

interface RRsetTtl {
  readonly ttl: number
  /** Of the last record of the RRset. */
  readonly line: number
  /** Whether its records have different ttls in the file. */
  readonly isMixed: boolean
}

/**
 * The records of a file without duplicates. Each RRset has one ttl (RFC 2181, section 5.2): the last one of the file, as if
 * the API had created the records one after the other.
 */
export class ReadRecords {
  readonly #records = new Map<string, ReadRecord>()
  readonly #ttls = new Map<string, RRsetTtl>()
  /** How many records the file has more than once. */
  #repeated = 0

  /** @param recordsMax how many records a zone may hold */
  constructor(private readonly recordsMax: number) {}

  /** @returns the problem if there are too many records; reading must stop then */
  add(line: number, record: CanonicalRecord): string | undefined {
    const { type, host, value, priority, ttl } = record
    const key = JSON.stringify([type, host, priority, value])
    const before = this.#ttls.get(rrsetKey(record))
    const isMixed = before !== undefined && (before.isMixed || before.ttl !== ttl)
    this.#ttls.set(rrsetKey(record), { ttl, line, isMixed })
    if (this.#records.has(key)) this.#repeated += 1
    else this.#records.set(key, { line, record })
    if (this.#records.size > this.recordsMax)
      return `exceeds the zone's limit of ${this.recordsMax} records. The rest of the file was not read.`
    if (this.#repeated <= this.recordsMax) return undefined
    return `More than ${this.recordsMax} lines repeat a record. The rest of the file was not read.`
  }

  all(): ReadRecord[] {
    return Array.from(this.#records.values(), ({ line, record }) => {
      const { ttl } = this.#ttls.get(rrsetKey(record)) ?? record
      return { line, record: ttl === record.ttl ? record : { ...record, ttl } }
    })
  }

  /** One for each RRset whose records have several ttls. */
  notes(): Remark[] {
    return Array.from(this.#ttls).flatMap(([rrset, { ttl, line, isMixed }]) =>
      isMixed
        ? [{ line, text: `${rrset} has several ttls, and an RRset has one: all records get the last, ${ttl}` }]
        : [],
    )
  }
}

const rrsetKey = ({ host, type }: CanonicalRecord): string => `${host} ${type}`

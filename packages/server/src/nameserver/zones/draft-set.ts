import { Bytes } from '../../ports/dns/wire/bytes.js'
import { recordHead, writeRecord, type Stored } from '../../ports/dns/embedded/stored.js'

/** Up to this many records are compared one by one. */
const listMax = 16

/** Encoded RRsets, one after another. Taken when they are complete. */
export const scratch = new Bytes()

/** An RRset that a transfer builds or changes. The data of each record is a string of its octets. */
export class DraftSet {
  private list: string[] = []
  private set: Set<string> | undefined
  private ttl = 0
  /** Of the stored records. */
  octets = 0

  static of({ bytes, start, end }: Stored): DraftSet {
    const draft = new DraftSet()
    for (let at = start; at < end;) {
      const from = at + recordHead
      const next = from + bytes.readUInt16BE(from - 2)
      draft.add(bytes.toString('latin1', from, next), bytes.readUInt32BE(at + 6))
      at = next
    }
    return draft
  }

  get size(): number {
    return this.set?.size ?? this.list.length
  }

  /** Adds a record; a repeated one is there once (RFC 2181, section 5). All get the lowest TTL (section 5.2). */
  add(rdata: string, ttl: number): boolean {
    this.ttl = this.size === 0 ? ttl : Math.min(this.ttl, ttl)
    if (this.set !== undefined ? this.set.has(rdata) : this.list.includes(rdata)) return false
    this.octets += recordHead + rdata.length
    if (this.set !== undefined) this.set.add(rdata)
    else if (this.list.push(rdata) > listMax) {
      this.set = new Set(this.list)
      this.list = []
    }
    return true
  }

  /** @returns whether the record was there */
  delete(rdata: string): boolean {
    const wasThere = this.set !== undefined ? this.set.delete(rdata) : this.deleteListed(rdata)
    if (wasThere) this.octets -= recordHead + rdata.length
    return wasThere
  }

  private deleteListed(rdata: string): boolean {
    const at = this.list.indexOf(rdata)
    if (at >= 0) this.list.splice(at, 1)
    return at >= 0
  }

  /** Writes the records into `scratch`. @param most the maximum number of records */
  write(type: number, most = Infinity): void {
    let left = most
    for (const rdata of this.set ?? this.list) {
      if (left-- <= 0) return
      writeRecord(scratch, type, this.ttl, () => {
        scratch.raw(Buffer.from(rdata, 'latin1'))
      })
    }
  }
}

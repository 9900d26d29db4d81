import { crc32, deflateRawSync } from 'node:zlib'

/** Builds archives with any value in any field, for tests. Field names are those of APPNOTE 4.3. */

/** The fields that an entry has both in its local header and in the central directory. */
interface Fields {
  name: string | Buffer
  flags: number
  method: number
  crc: number
  compressedSize: number
  size: number
  extra: Buffer
}

export interface BuiltEntry extends Partial<Fields> {
  name: string | Buffer
  /** Unpacked; empty if not given. */
  data?: string | Buffer
  /** The bytes in the archive, if not the packed data. */
  packed?: Buffer
  /** Other values in the local header only. */
  local?: Partial<Fields>
  /** Upper half of the external attributes. */
  mode?: number
  madeBy?: number
  offset?: number
  /** Only in the central directory. */
  comment?: Buffer
}

interface Ends {
  entries?: number
  offset?: number
  disk?: number
  comment?: Buffer
  /** The length of the comment that is declared. */
  commentLength?: number
  zip64?: { entries?: bigint; offset?: bigint; recordAt?: bigint; disk?: number; signature?: number }
  /** Bytes before the first entry. */
  prefix?: Buffer
}

export const stored = 0
const deflated = 8
const utf8Flag = 0x800

const u16 = (value: number) => Buffer.from([value & 0xff, (value >>> 8) & 0xff])
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}
const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

/** An extra field. */
export const extraField = (id: number, data: Buffer): Buffer => Buffer.concat([u16(id), u16(data.length), data])

/** The extra field of zip64. */
export const zip64Field = (...values: bigint[]): Buffer => extraField(1, Buffer.concat(values.map(u64)))

/** Info-ZIP's Unicode Path extra field. @param of the name that it stands for */
export const unicodePath = (of: string, path: string): Buffer =>
  extraField(0x7075, Buffer.concat([Buffer.from([1]), u32(crc32(of)), Buffer.from(path)]))

function shared({ name, flags, method, crc, compressedSize, size, extra }: Fields): Buffer {
  const raw = Buffer.from(name as string)
  const date = Buffer.concat([u16(0), u16(0x21)])
  const sizes = Buffer.concat([u32(crc), u32(compressedSize), u32(size)])
  return Buffer.concat([u16(20), u16(flags), u16(method), date, sizes, u16(raw.length), u16(extra.length)])
}

const nameAndExtra = ({ name, extra }: Fields) => Buffer.concat([Buffer.from(name as string), extra])

function fieldsOf(entry: BuiltEntry): { fields: Fields; packed: Buffer } {
  const data = Buffer.from(entry.data ?? '')
  const method = entry.method ?? deflated
  const packed = entry.packed ?? (method === deflated ? deflateRawSync(data) : data)
  const { name, flags = utf8Flag, crc = crc32(data), extra = Buffer.alloc(0) } = entry
  const { compressedSize = packed.length, size = data.length } = entry
  return { fields: { name, flags, method, crc, compressedSize, size, extra }, packed }
}

/** An archive of entries. */
export function buildZip(entries: readonly BuiltEntry[], ends: Ends = {}): Buffer {
  const parts: Buffer[] = [ends.prefix ?? Buffer.alloc(0)]
  const records: Buffer[] = []
  let start = ends.prefix?.length ?? 0
  for (const entry of entries) {
    const { fields, packed } = fieldsOf(entry)
    const at = start
    const local = { ...fields, ...entry.local }
    const part = Buffer.concat([u32(0x04034b50), shared(local), nameAndExtra(local), packed])
    parts.push(part)
    start += part.length
    const { comment = Buffer.alloc(0), madeBy = 0x031e } = entry
    const attributes = [u16(0), u16(0), u16(0), u16(entry.mode ?? 0), u32(entry.offset ?? at)]
    const fixed = Buffer.concat([u32(0x02014b50), u16(madeBy), shared(fields), u16(comment.length), ...attributes])
    records.push(Buffer.concat([fixed, nameAndExtra(fields), comment]))
  }
  const directory = Buffer.concat(records)
  return Buffer.concat([
    ...parts,
    directory,
    zip64End(ends, start, directory.length, records.length),
    end(ends, start, directory.length, records.length),
  ])
}

function zip64End({ zip64 }: Ends, start: number, size: number, count: number): Buffer {
  if (zip64 === undefined) return Buffer.alloc(0)
  const entries = u64(zip64.entries ?? BigInt(count))
  const record = Buffer.concat([
    ...[u32(zip64.signature ?? 0x06064b50), u64(44n), u16(45), u16(45), u32(zip64.disk ?? 0), u32(0)],
    ...[entries, entries, u64(BigInt(size)), u64(zip64.offset ?? BigInt(start))],
  ])
  const at = zip64.recordAt ?? BigInt(start + size)
  return Buffer.concat([record, u32(0x07064b50), u32(0), u64(at), u32(1)])
}

function end(
  { entries, offset, disk = 0, comment = Buffer.alloc(0), commentLength, zip64 }: Ends,
  start: number,
  size: number,
  count: number,
): Buffer {
  const number = entries ?? (zip64 ? 0xffff : count)
  const at = offset ?? (zip64 ? 0xffffffff : start)
  return Buffer.concat([
    ...[u32(0x06054b50), u16(disk), u16(0), u16(number), u16(number), u32(size), u32(at)],
    ...[u16(commentLength ?? comment.length), comment],
  ])
}

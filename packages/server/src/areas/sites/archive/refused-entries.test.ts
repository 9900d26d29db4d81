import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { refusal, refusalOf } from '../../../../test/archives.js'
import { buildZip, extraField, stored, zip64Field, type BuiltEntry } from '../../../../test/built-zip.js'

const text = 'one two three four '.repeat(50)
const large = randomBytes(300 * 1024)
const packed = deflateRawSync(text)
const packedLarge = deflateRawSync(large)
const changed = (bytes: Buffer, at: number, value: number) => {
  const copy = Buffer.from(bytes)
  copy[at] = value
  return copy
}

describe('entries that are refused', () => {
  const link = 'is a symbolic link: put the file itself into the archive'
  const special = 'is a device, a pipe or another special file: only files and folders are accepted'
  const encrypted = 'is encrypted: make the archive without a password'
  const method = 'is compressed with a method other than deflate: make a plain zip'
  const damaged = 'cannot be unpacked: its data is damaged'
  const otherSize = 'has another size than the archive declares'
  const crc = 'is damaged: its CRC-32 is not the declared one'
  it.each<[what: string, entry: Omit<BuiltEntry, 'name'>, reason: string]>([
    ['a symbolic link', { data: '/etc/passwd', mode: 0o120777 }, link],
    ['a symbolic link from DOS', { data: '../secret', mode: 0o120777, madeBy: 0x0014 }, link],
    ['a symbolic link from macOS', { data: '../secret', mode: 0o120755, madeBy: 0x1314 }, link],
    ['a character device', { mode: 0o020666 }, special],
    ['a block device', { mode: 0o060666 }, special],
    ['a pipe', { mode: 0o010666 }, special],
    ['a socket', { mode: 0o140666 }, special],
    ['an unknown type', { mode: 0o150666 }, special],
    [
      'a folder that is named as a file',
      { mode: 0o040755 },
      'is marked as a folder, but its name does not end with a slash',
    ],
    ['a password', { data: text, flags: 0x801 }, encrypted],
    ['a password, stored', { data: text, method: stored, flags: 1 }, encrypted],
    ['AES', { data: text, method: 99, packed }, encrypted],
    [
      'a password in the local header only',
      { data: text, local: { flags: 0x801 } },
      'is encrypted according to its local header',
    ],
    ['shrunk', { data: text, method: 1, packed }, method],
    ['imploded', { data: text, method: 6, packed }, method],
    ['deflate64', { data: text, method: 9, packed }, method],
    ['bzip2', { data: text, method: 12, packed }, method],
    ['LZMA', { data: text, method: 14, packed }, method],
    ['zstd', { data: text, method: 93, packed }, method],
    ['xz', { data: text, method: 95, packed }, method],
    [
      'two sizes of stored data',
      { data: text, method: stored, size: 10 },
      'is not compressed, but has two different sizes',
    ],
    ['a wrong CRC-32', { data: text, crc: 1 }, crc],
    ['a wrong CRC-32, stored', { data: text, method: stored, crc: 1 }, crc],
    ['a wrong CRC-32, empty', { crc: 1 }, crc],
    ['a wrong CRC-32, large', { data: large, crc: 1 }, crc],
    ['a wrong CRC-32, large and stored', { data: large, method: stored, crc: 1 }, crc],
    ['less data than declared', { data: text, size: text.length + 1 }, otherSize],
    ['more data than declared', { data: text, size: text.length - 1 }, otherSize],
    ['much more data than declared', { data: text, size: 1 }, otherSize],
    ['data in a file that is declared empty', { data: text, size: 0 }, otherSize],
    ['less data than declared, large', { data: large, size: large.length + 1 }, otherSize],
    ['more data than declared, large', { data: large, size: large.length - 1 }, otherSize],
    [
      'bytes after the compressed data',
      { data: text, packed: Buffer.concat([packed, Buffer.from('rest')]) },
      otherSize,
    ],
    ['bytes after the compressed data, large', { data: large, packed: Buffer.concat([packedLarge, large]) }, otherSize],
    ['a cut end', { data: text, packed: packed.subarray(0, -3) }, damaged],
    ['a cut end, large', { data: large, packed: packedLarge.subarray(0, -3) }, damaged],
    ['no compressed data', { data: text, packed: Buffer.alloc(0) }, damaged],
    ['a broken first block', { data: text, packed: changed(packed, 0, 0xff) }, damaged],
    ['a broken first block, large', { data: large, packed: changed(packedLarge, 0, 0xff) }, damaged],
    ['a bomb', { data: Buffer.alloc(5_000_000) }, 'unpacks to more than 200 times its size'],
    ['a declared bomb', { data: text, size: 900_000_000 }, 'unpacks to more than 200 times its size'],
    [
      'a file beyond the limit',
      { data: text, size: 2_000_000_000, compressedSize: 1_999_999_999 },
      'has 2 GB (2000000000 bytes), but a site may have 1 GB (1000000000 bytes)',
    ],
    [
      'a huge file in zip64',
      { data: text, size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64Field(2n ** 60n, 2n ** 60n) },
      'has 1152.9 PB (1152921504606847000 bytes), but a site may have 1 GB (1000000000 bytes)',
    ],
    ['another name in the local header', { data: text, local: { name: 'b' } }, 'has another name in its local header'],
    [
      'a longer name in the local header',
      { data: text, local: { name: '../a' } },
      'has another name in its local header',
    ],
    [
      'another method in the local header',
      { data: text, local: { method: stored } },
      'has another compression method in its local header',
    ],
    ['another CRC-32 in the local header', { data: text, local: { crc: 1 } }, 'has another CRC-32 in its local header'],
    ['another size in the local header', { data: text, local: { size: 1 } }, 'has another size in its local header'],
    [
      'another compressed size in the local header',
      { data: text, local: { compressedSize: 1 } },
      'has another size in its local header',
    ],
    ['no size in the local header', { data: text, local: { size: 0 } }, 'has another size in its local header'],
    [
      'another size in zip64 of the local header',
      { data: text, local: { size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64Field(1n, 1n) } },
      'has another size in its local header',
    ],
    [
      'no zip64 in the local header',
      { data: text, local: { size: 0xffffffff } },
      'has damaged extra fields in its local header',
    ],
    [
      'a short zip64 in the local header',
      { data: text, local: { size: 0xffffffff, extra: extraField(1, Buffer.alloc(7)) } },
      'has damaged extra fields in its local header',
    ],
    [
      'broken extra fields in the local header',
      { data: text, local: { size: 0xffffffff, extra: Buffer.from([1, 0, 200, 0, 1]) } },
      'has damaged extra fields in its local header',
    ],
    [
      'long extra fields in the local header',
      { data: text, local: { extra: Buffer.alloc(4_097) } },
      'has more than 4096 bytes of extra fields',
    ],
    ['a position in its own data', { data: text, offset: 50 }, 'has no local header where the central directory says'],
    [
      'a position beyond the end',
      { data: text, offset: 0xfffffff0 },
      'has no local header where the central directory says',
    ],
    [
      'data beyond the end',
      { data: text, method: stored, size: 100_000, compressedSize: 100_000 },
      'continues beyond the end of the data',
    ],
  ])('refuses the entry: %s', async (_what, entry, reason) => {
    expect(await refusalOf({ name: 'a', ...entry })).toBe(`archive: entry "a" ${reason}.`)
  })

  it.each<[what: string, entry: BuiltEntry, reason: string]>([
    ['a folder with contents', { name: 'a/', data: text }, 'is a folder with contents'],
    [
      'a file that is named as a folder',
      { name: 'a/', mode: 0o100644 },
      'is marked as a file, but its name ends with a slash',
    ],
    ['a folder that is a link', { name: 'a/', mode: 0o120777 }, link],
  ])('refuses the entry: %s', async (_what, entry, reason) => {
    expect(await refusalOf(entry)).toBe(`archive: entry "a/" ${reason}.`)
  })

  it.each(['_headers', '_redirects'])('refuses %s that is too long or not text', async (name) => {
    expect(await refusalOf({ name, data: 'x'.repeat(100_001) })).toBe(
      `archive: entry "${name}" has more than 100000 bytes.`,
    )
    expect(await refusalOf({ name, data: Buffer.from([0xff]) })).toBe(`archive: entry "${name}" is not UTF-8.`)
  })

  it('refuses two entries with the same data, and one in the data of another', async () => {
    const first = { name: 'a', data: text, method: stored }
    expect(await refusal(buildZip([first, { name: 'b', data: text, method: stored, offset: 0 }]))).toBe(
      'archive: entry "b" overlaps another entry.',
    )
    const inner = buildZip([{ name: 'b', data: text }])
    const outer = [
      { name: 'a', data: inner, method: stored },
      { name: 'b', data: text, offset: 31 },
    ]
    expect(await refusal(buildZip(outer))).toBe('archive: entry "b" overlaps another entry.')
  })
})

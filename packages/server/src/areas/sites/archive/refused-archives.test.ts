import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { filesOf, refusal } from '../../../../test/archives.js'
import { buildZip, extraField, stored } from '../../../../test/built-zip.js'

const home = { name: 'index.html', data: 'Home' }
const text = 'one two three four '.repeat(50)
const changed = (bytes: Buffer, at: number, value: number) => {
  const copy = Buffer.from(bytes)
  copy[at] = value
  return copy
}

describe('archives that are refused', () => {
  const whole = buildZip([home, { name: 'a', data: text }])
  const notZip = 'archive is not a zip: End of central directory record signature not found'
  it.each<[what: string, zip: Buffer, reason: string]>([
    ['no bytes', Buffer.alloc(0), notZip],
    ['text', Buffer.from('<!doctype html>'), notZip],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), notZip],
    ['a cut archive', whole.subarray(0, -1), notZip],
    [
      'a cut start',
      whole.subarray(10),
      'archive has an entry, number 1, that cannot be read: invalid central directory file header signature',
    ],
    ['bytes after the end', Buffer.concat([whole, Buffer.from('x')]), 'archive is not a zip: Invalid comment length'],
    [
      'a wrong length of the comment',
      buildZip([home], { commentLength: 3 }),
      'archive is not a zip: Invalid comment length',
    ],
    ['no entries', buildZip([]), 'archive has no files.'],
    ['only folders', buildZip([{ name: 'a/' }]), 'archive has no files.'],
    ['only files that are left out', buildZip([{ name: '.DS_Store' }]), 'archive has only hidden files.'],
    ['only rules', buildZip([{ name: '_headers' }]), 'archive has no files to serve.'],
    ['several disks', buildZip([home], { disk: 1 }), 'archive is not a zip: multi-disk zip files are not supported'],
    [
      'more entries than declared',
      buildZip([home, { name: 'a' }], { entries: 1 }),
      'archive has more entries than the 1 that it declares.',
    ],
    [
      'fewer entries than declared',
      buildZip([home], { entries: 2 }),
      'archive has an entry, number 2, that cannot be read',
    ],
    [
      'a central directory beyond the end',
      buildZip([home], { offset: 1_000_000 }),
      'archive has an entry, number 1, that cannot be read: it ends too early.',
    ],
    [
      'a central directory in the data',
      buildZip([home], { offset: 0 }),
      'archive has an entry, number 1, that cannot be read: invalid central directory',
    ],
    [
      'too many entries',
      buildZip([home], { entries: 2001 }),
      'archive has 2001 entries, but a site may have 1000 files.',
    ],
    [
      'too many entries in zip64',
      buildZip([home], { zip64: { entries: 2n ** 52n } }),
      'archive has 4503599627370496 entries, but a site may have 1000 files.',
    ],
    [
      'zip64 of several disks',
      buildZip([home], { zip64: { disk: 1 } }),
      'archive is not a zip: multi-disk zip files are not supported',
    ],
    [
      'zip64 without its record',
      buildZip([home], { zip64: { signature: 1 } }),
      'archive is not a zip: invalid zip64 end of central directory record signature.',
    ],
    [
      'zip64 with a record beyond the end',
      buildZip([home], { zip64: { recordAt: 2n ** 62n } }),
      'archive is not a zip: it ends too early.',
    ],
    [
      'zip64 with a record elsewhere',
      buildZip([{ name: 'b', data: randomBytes(200_000), method: stored }], { zip64: { recordAt: 4n } }),
      'archive is not a zip: its records are not where they should be.',
    ],
    [
      'a zip64 directory beyond the end',
      buildZip([home], { zip64: { offset: 2n ** 62n } }),
      'archive has an entry, number 1, that cannot be read: it ends too early.',
    ],
    [
      'strong encryption',
      buildZip([home, { name: 'a', flags: 0x841 }]),
      'archive has an entry, number 2, that cannot be read: strong encryption is not supported.',
    ],
    [
      'long extra fields',
      buildZip([home, { name: 'a', extra: Buffer.alloc(4_097) }]),
      'archive has an entry, number 2, with more than 4096 bytes of extra fields.',
    ],
    [
      'a long comment of an entry',
      buildZip([home, { name: 'a', comment: Buffer.alloc(4_097) }]),
      'archive has an entry, number 2, with a comment of more than 4096 bytes.',
    ],
    [
      'broken extra fields',
      buildZip([{ ...home, extra: Buffer.from([1, 0, 200, 0]) }]),
      'archive has an entry, number 1, that cannot be read: extra field length exceeds extra field buffer size.',
    ],
    [
      'zip64 without its size',
      buildZip([{ ...home, size: 0xffffffff, extra: extraField(1, Buffer.alloc(4)) }]),
      'archive has an entry, number 1, that cannot be read: zip64 extended information',
    ],
    [
      'bytes before the first entry without a change of the positions',
      Buffer.concat([Buffer.from('#!'), whole]),
      'archive has an entry, number 1, that cannot be read',
    ],
  ])('refuses an archive: %s', async (_what, zip, reason) => {
    expect(await refusal(zip)).toContain(reason)
  })

  it('long comments and extra fields are not kept in memory', async () => {
    const [file] = await filesOf({ ...home, comment: Buffer.alloc(4_096), extra: Buffer.alloc(4_096) })
    expect(Object.values(file ?? {}).map((value) => typeof value)).toEqual(expect.not.arrayContaining(['object']))
    expect(file).toMatchObject({ path: 'index.html', nameBytes: 'index.html' })
  })

  it('refuses more files than a site may have', async () => {
    const entries = Array.from({ length: 5 }, (_, index) => ({ name: `${index}.html` }))
    expect(await refusal(buildZip(entries), { bytesMax: 1e9, filesMax: 4 })).toBe(
      'archive has more than 4 files, the limit of a site.',
    )
    expect(await refusal(buildZip(entries), { bytesMax: 1e9, filesMax: 5 })).toBe('accepted')
  })

  it('refuses more folders than twice the files of a site, counted on all levels', async () => {
    const nested = (i: number) => ({ name: `${i}/${'a/'.repeat(31)}b`, data: 'x' })
    const refused = buildZip(Array.from({ length: 63 }, (_, i) => nested(i)))
    expect(await refusal(refused)).toBe('archive has more than 2000 folders, counted on all levels.')
    expect(await refusal(buildZip(Array.from({ length: 62 }, (_, i) => nested(i))))).toBe('accepted')
  })

  it('refuses names of more than 200 bytes for each file of a site', async () => {
    const long = (i: number) => ({
      name: `${'n/'.repeat(10)}${'a'.repeat(230)}/${'b'.repeat(245)}${1000 + i}`,
      data: 'x',
    })
    const names = (count: number) => buildZip(Array.from({ length: count }, (_, i) => long(i)))
    expect(await refusal(names(401))).toBe('archive has names of more than 200000 bytes in all, with their folders.')
    expect(await refusal(names(400))).toBe('accepted')
  })

  it('refuses more bytes than a site may have', async () => {
    const entries = ['a', 'b', 'c'].map((name) => ({ name, data: 'x'.repeat(400) }))
    expect(await refusal(buildZip(entries), { bytesMax: 1199, filesMax: 10 })).toBe(
      'archive unpacks to more than 1.1 kB (1199 bytes), the limit of a site.',
    )
    expect(await refusal(buildZip(entries), { bytesMax: 1200, filesMax: 10 })).toBe('accepted')
  })

  it('refuses every cut of an archive, and reads or refuses every changed byte', async () => {
    for (let at = 0; at < whole.length; at++) {
      expect(await refusal(whole.subarray(0, at))).toMatch(/^archive/)
      expect(await refusal(changed(whole, at, whole[at]! ^ 0xff))).toMatch(/^(archive|accepted)/)
    }
  })
})

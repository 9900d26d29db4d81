import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { describeRemarks, planImport, type ImportOptions } from './import-plan.js'
import { checkRecord } from '../records/check.js'
import type { GivenRecord } from '../records/record.js'

const zone = 'example.com'
const [then, now] = ['2026-01-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z']
const a = (host: string, value: string, ttl = 300): GivenRecord => ({ type: 'A', host, value, ttl })
const alias = (host: string, value: string): GivenRecord => ({ type: 'CNAME', host, value, ttl: 300 })

const existing = (...given: readonly GivenRecord[]) =>
  given.map((one, n) => ({ ...checkRecord(zone, one), id: n + 1, created_at: then, updated_at: then }))
const read = (...given: readonly GivenRecord[]) =>
  given.map((one, n) => ({ line: n + 1, record: checkRecord(zone, one) }))

const plan = (
  before: ReturnType<typeof existing>,
  file: ReturnType<typeof read>,
  options: Partial<ImportOptions> = {},
) => {
  const changes = planImport(before, file, 10, {
    replace: false,
    recordsMax: 100,
    zoneBytesMax: 1_000_000,
    now,
    ...options,
  })
  const ids = (records: readonly { id: number }[]) => records.map(({ id }) => id)
  return {
    ...changes,
    ids: { created: ids(changes.created), ttlChanged: ids(changes.ttlChanged), deleted: ids(changes.deleted) },
  }
}
const refused = (message: string) => new ApiError('bad_request', message)

describe('an import', () => {
  it('creates new records, and leaves existing ones unchanged', () => {
    const { ids, created, after } = plan(
      existing(a('www', '192.0.2.1'), a('ftp', '192.0.2.1')),
      read(a('www', '192.0.2.1'), a('www', '192.0.2.2'), a('www', '192.0.2.2'), a('x', '192.0.2.1')),
    )
    expect(ids).toEqual({ created: [11, 12], ttlChanged: [], deleted: [] })
    expect(created[0]).toMatchObject({ host: 'www', value: '192.0.2.2', created_at: now, updated_at: now })
    expect(after).toHaveLength(4)
  })

  it('knows the first line of each record of the file, also of existing ones', () => {
    const file = read(a('x', '192.0.2.1'), a('www', '192.0.2.1', 600), a('x', '192.0.2.1'), a('y', '192.0.2.1'))
    const { lines } = plan(existing(a('www', '192.0.2.1'), a('www', '192.0.2.9')), file)
    expect([...lines]).toEqual([
      [11, 1],
      [1, 2],
      [12, 4],
    ])
  })

  it('gives all records of an RRset the last ttl of the file, as the API does', () => {
    const before = existing(a('www', '192.0.2.1'), a('www', '192.0.2.9'))
    const file = read(a('www', '192.0.2.1', 600), a('www', '192.0.2.2', 900))
    const { ids, ttlChanged, after } = plan(before, file)
    expect(ids).toEqual({ created: [11], ttlChanged: [2, 1], deleted: [] })
    expect(ttlChanged[0]).toMatchObject({ ttl: 900, created_at: then, updated_at: now })
    expect(after.map(({ ttl }) => ttl)).toEqual([900, 900, 900])
  })

  it('is a no-op when it is repeated, even if an RRset has several ttls in the file', () => {
    const file = read(a('www', '192.0.2.1', 600), a('www', '192.0.2.2', 900), alias('x', 'www.example.com'))
    const { after } = plan(existing(a('www', '192.0.2.1')), file)
    expect(plan([...after], file).ids).toEqual({ created: [], ttlChanged: [], deleted: [] })
  })

  it('an import with replace deletes the records that are not in the file, so that others can take their hosts', () => {
    const before = existing(a('www', '192.0.2.1'), a('ftp', '192.0.2.1'))
    const file = read(alias('www', 'ftp.example.com'), a('ftp', '192.0.2.1'))
    expect(plan(before, file, { replace: true }).ids).toEqual({ created: [11], ttlChanged: [], deleted: [1] })
    expect(() => plan(before, file)).toThrow(
      refused(
        'line 1: www already has records (A). A CNAME cannot share a name with other records: delete them first, or choose another host.',
      ),
    )
  })

  it('reports all conflicting records, with their lines', () => {
    const before = existing(alias('old', 'example.net'))
    const file = read(a('old', '192.0.2.1'), alias('new', 'example.net'), a('new', '192.0.2.1'), a('b', '192.0.2.1'))
    expect(() => plan(before, file)).toThrow(
      refused(
        'line 1: old already has a CNAME (id 1, to example.net). A CNAME cannot share a name with other records: delete it first.\n' +
          'line 3: new already has a CNAME (line 2, to example.net). A CNAME cannot share a name with other records: delete it first.',
      ),
    )
  })

  it('is refused beyond the record limit of the zone, counted after deletions', () => {
    const before = existing(a('a', '192.0.2.1'), a('b', '192.0.2.1'))
    const file = read(a('c', '192.0.2.1'))
    expect(() => plan(before, file, { recordsMax: 2 })).toThrow(
      refused('The zone would have 3 records; the limit is 2.'),
    )
    expect(plan(before, file, { recordsMax: 1, replace: true }).after).toHaveLength(1)
  })

  it('is refused beyond the byte limit of the zone, counted after deletions; a zone above it can shrink', () => {
    const before = existing(a('a', '192.0.2.1'), a('b', '192.0.2.1'))
    const file = read(a('c', '192.0.2.1'))
    expect(() => plan(before, file, { zoneBytesMax: 29 })).toThrow(
      refused("The values and hosts of the zone's records would have 30 bytes; the limit is 29."),
    )
    expect(plan(before, file, { zoneBytesMax: 30 }).after).toHaveLength(3)
    expect(plan(before, file, { zoneBytesMax: 9, replace: true }).after).toHaveLength(1)
  })
})

it('equal remarks are combined, and only the first lines and kinds are listed', () => {
  const many = Array.from({ length: 10 }, (_, n) => ({ line: n + 1, text: 'x' }))
  expect(describeRemarks([...many, { line: 20, text: 'y' }, { line: 21, text: 'z' }, { line: 22, text: 'z' }])).toBe(
    'lines 1, 2, 3, 4, 5, 6, 7, 8 and 2 more: x\nline 20: y\nlines 21, 22: z',
  )
  const kinds = describeRemarks(Array.from({ length: 40 }, (_, n) => ({ line: 1, text: String(n) }))).split('\n')
  expect([kinds.length, kinds.at(-1)]).toEqual([31, 'and 10 others'])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { operatorActor } from '../../../shared/actor.js'
import { runAtOnce } from '../../../shared/time-slices.js'
import { planChanges } from './plan-changes.js'
import type { PlannedZone, RecordsPlan } from './plan.js'
import type { StoredRecord } from './record.js'
import { checkWantedChanges, type GivenChange } from './wanted-changes.js'

const before = '2026-11-01T00:00:00.000Z'
const now = '2026-11-22T00:00:00.000Z'
const cap = { recordsMax: 10, zoneBytesMax: 200 }
const key = { accountId: 1, zone: 'zone.example', rules: undefined, actor: operatorActor('test'), id: 5, serial: 7 }

const a = (id: number, host: string, value = `192.0.2.${id}`, ttl = 300): StoredRecord => ({
  ...{ id, type: 'A', host, value, ttl, priority: null, created_at: before, updated_at: before },
})
const alias = (id: number, host: string): StoredRecord => ({ ...a(id, host, 'www.example.net'), type: 'CNAME' })

const zoneOf = (rows: readonly StoredRecord[], lastId = 20): PlannedZone => ({
  ...key,
  last_record_id: lastId,
  content_bytes: rows.reduce((sum, { host, value }) => sum + host.length + value.length, 0),
})

const wantedOf = (given: readonly GivenChange[]) => runAtOnce(checkWantedChanges(key.zone, given))

const plan = (rows: readonly StoredRecord[], given: readonly GivenChange[], limits = cap): RecordsPlan =>
  runAtOnce(planChanges(zoneOf(rows), rows.length, rows, wantedOf(given), limits, now))

const textOf = ({ id, host, type, value, ttl }: StoredRecord) => `${id} ${host} ${type} ${value} ${ttl}`

/** The records that a plan removes and adds: `- 1 www A 192.0.2.1 300`. */
const effect = ({ removed, added }: Pick<RecordsPlan, 'removed' | 'added'>) => [
  ...removed.map((record) => `- ${textOf(record)}`),
  ...added.map((record) => `+ ${textOf(record)}`),
]

const create = (host: string, value: string, more: object = {}): GivenChange => ({
  create: { type: 'A', host, value, ttl: 300, ...more },
})

describe('a batch', () => {
  it.each<[string, StoredRecord[], GivenChange[], string[]]>([
    [
      'creates records with ids in their order',
      [a(1, 'www')],
      [create('WWW', '192.0.2.9'), create('b', '192.0.2.8')],
      ['+ 21 www A 192.0.2.9 300', '+ 22 b A 192.0.2.8 300'],
    ],
    [
      'deletes an alias and creates an address in its place',
      [alias(1, 'www')],
      [{ delete: { id: 1 } }, create('www', '192.0.2.9')],
      ['- 1 www CNAME www.example.net 300', '+ 21 www A 192.0.2.9 300'],
    ],
    [
      'moves a record to a host that an earlier change frees',
      [a(1, 'www'), alias(2, 'web')],
      [{ update: { id: 2, host: 'old' } }, { update: { id: 1, host: 'web' } }],
      [
        '- 1 www A 192.0.2.1 300',
        '- 2 web CNAME www.example.net 300',
        '+ 1 web A 192.0.2.1 300',
        '+ 2 old CNAME www.example.net 300',
      ],
    ],
    [
      'lists every record of an RRset whose ttl changes',
      [a(1, 'www'), a(2, 'www')],
      [create('www', '192.0.2.9', { ttl: 60 })],
      [
        '- 1 www A 192.0.2.1 300',
        '- 2 www A 192.0.2.2 300',
        '+ 1 www A 192.0.2.1 60',
        '+ 2 www A 192.0.2.2 60',
        '+ 21 www A 192.0.2.9 60',
      ],
    ],
    [
      'replaces an RRset and changes one of its new records',
      [a(1, 'www'), a(2, 'www')],
      [
        { replace: { host: 'www', type: 'A', values: ['192.0.2.2', '192.0.2.7'], ttl: 300 } },
        { update: { id: 21, value: '192.0.2.8' } },
      ],
      ['- 1 www A 192.0.2.1 300', '+ 21 www A 192.0.2.8 300'],
    ],
    ['skips a record that it creates and deletes', [], [create('www', '192.0.2.9'), { delete: { id: 21 } }], []],
    [
      'skips a record that it changes and changes back',
      [a(1, 'www')],
      [{ update: { id: 1, ttl: 60 } }, { update: { id: 1, ttl: 300 } }],
      [],
    ],
    ['accepts a record that exists', [a(1, 'www')], [create('www', '192.0.2.1')], []],
    [
      'creates a record again after it has deleted it',
      [a(1, 'www')],
      [{ delete: { id: 1 } }, create('www', '192.0.2.1')],
      ['- 1 www A 192.0.2.1 300', '+ 21 www A 192.0.2.1 300'],
    ],
    [
      'creates a record in a full zone after it has deleted one',
      Array.from({ length: cap.recordsMax }, (_, i) => a(i + 1, `h${i}`)),
      [{ delete: { id: 1 } }, create('new', '192.0.2.99')],
      ['- 1 h0 A 192.0.2.1 300', '+ 21 new A 192.0.2.99 300'],
    ],
  ])('%s', (_, rows, given, expected) => {
    expect(effect(plan(rows, given))).toEqual(expected)
  })

  it.each<[string, StoredRecord[], GivenChange[], string, string]>([
    [
      'an invalid value',
      [],
      [create('www', '192.0.2.1'), create('www', 'x')],
      'bad_request',
      'changes[1].create.value must be an IPv4 address',
    ],
    [
      'an invalid value of a replacement',
      [],
      [{ replace: { host: 'www', type: 'A', values: ['192.0.2.1', 'x'] } }],
      'bad_request',
      'changes[0].replace.values[1] must be an IPv4 address',
    ],
    [
      'an invalid host of an update',
      [a(1, 'www')],
      [{ update: { id: 1, host: 'a b' } }],
      'bad_request',
      'changes[0].update.host must be',
    ],
    [
      'another type',
      [a(1, 'www')],
      [{ update: { id: 1, type: 'AAAA' } }],
      'bad_request',
      'changes[0].update.type cannot be changed from A to AAAA: delete the record and create another.',
    ],
    [
      'an address that it creates before it deletes the alias',
      [alias(1, 'www')],
      [create('www', '192.0.2.9'), { delete: { id: 1 } }],
      'bad_request',
      'changes[0].create.host: www already has a CNAME (id 1, to www.example.net). A CNAME cannot share a name with other records: delete it first.',
    ],
    [
      'an address beside an alias of the same batch',
      [],
      [
        create('a', '192.0.2.9'),
        { create: { type: 'CNAME', host: 'www', value: 'www.example.net' } },
        create('www', '192.0.2.9'),
      ],
      'bad_request',
      'changes[2].create.host: www already has a CNAME (changes[1], to www.example.net). A CNAME cannot share a name with other records: delete it first.',
    ],
    [
      'a duplicate of a record of the same batch',
      [a(1, 'www')],
      [create('www', '192.0.2.9'), { update: { id: 1, value: '192.0.2.9' } }],
      'bad_request',
      'changes[1].update.value would make this record a duplicate of changes[0]: delete one of them.',
    ],
    [
      'a duplicate of a record that exists',
      [a(1, 'www'), a(2, 'www')],
      [{ update: { id: 1, value: '192.0.2.2' } }],
      'bad_request',
      'changes[0].update.value would make this record a duplicate of record 2: delete one of them.',
    ],
    [
      'an unknown id',
      [a(1, 'www')],
      [{ delete: { id: 1 } }, { delete: { id: 9 } }],
      'not_found',
      'changes[1].delete.id: There is no such record in this zone.',
    ],
    [
      'the id of a record that it has deleted',
      [a(1, 'www')],
      [{ delete: { id: 1 } }, { update: { id: 1, ttl: 60 } }],
      'not_found',
      'changes[1].update.id: There is no such record in this zone.',
    ],
    [
      'an alias instead of several values',
      [],
      [{ replace: { host: 'www', type: 'CNAME', values: ['a.example.net', 'b.example.net'] } }],
      'bad_request',
      'changes[0].replace.values must be one name: a name can have only one CNAME.',
    ],
    [
      'a record too many, although a later change deletes one',
      Array.from({ length: cap.recordsMax }, (_, i) => a(i + 1, `h${i}`)),
      [create('new', '192.0.2.99'), { delete: { id: 1 } }],
      'bad_request',
      'changes[0].create: The zone has 10 records, the maximum: delete some first.',
    ],
    [
      'values that are too many',
      Array.from({ length: cap.recordsMax - 1 }, (_, i) => a(i + 1, `h${i}`)),
      [{ replace: { host: 'new', type: 'A', values: ['192.0.2.98', '192.0.2.99'] } }],
      'bad_request',
      'changes[0].replace: The zone has 9 records, and at most 10, so not 2 more: delete some first.',
    ],
    [
      'content that is too much',
      [],
      [
        { create: { type: 'TXT', host: 'a', value: 'x'.repeat(150) } },
        { create: { type: 'TXT', host: 'b', value: 'x'.repeat(50) } },
      ],
      'bad_request',
      "changes[1].create.value would bring the values and hosts of the zone's records to 202 bytes; a zone holds at most 200: delete some first.",
    ],
  ])('is refused for %s', (_, rows, given, code, message) => {
    const error = errorOf(() => plan(rows, given))
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
    if (code === 'bad_request') expect(error?.about?.field).toMatch(/^changes\[\d\]\.(create|update|replace)(\.|$)/)
  })

  it('has the RRsets before and after it, also those that it removes', () => {
    const rows = [a(1, 'www'), a(2, 'www'), a(3, 'old')]
    const {
      before: sets,
      after,
      growth,
      created,
      step,
    } = plan(rows, [{ delete: { id: 3 } }, { update: { id: 1, host: 'new' } }])
    const lines = (of: RecordsPlan['after']) =>
      of.map(({ name, records }) => `${name}: ${records.map(({ value }) => value).join(' ')}`).sort()
    expect(lines(sets)).toEqual([
      'new.zone.example: ',
      'old.zone.example: 192.0.2.3',
      'www.zone.example: 192.0.2.1 192.0.2.2',
    ])
    expect(lines(after)).toEqual(['new.zone.example: 192.0.2.1', 'old.zone.example: ', 'www.zone.example: 192.0.2.2'])
    expect([growth, created, step]).toEqual([-12, 0, 'replace'])
  })
})

function errorOf(act: () => unknown): ApiError | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error
  }
}

const hosts = fc.constantFrom('a', 'b', 'c')
const ttls = fc.constantFrom(60, 300)
const content = fc.oneof(
  fc.record({ type: fc.constant('A' as const), value: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3') }),
  fc.record({ type: fc.constant('CNAME' as const), value: fc.constantFrom('x.example.net', 'y.example.net') }),
)
const ids = fc.integer({ min: 1, max: 12 })
const anyChange: fc.Arbitrary<GivenChange> = fc.oneof(
  fc.tuple(content, hosts, ttls).map(([given, host, ttl]): GivenChange => ({ create: { ...given, host, ttl } })),
  fc
    .tuple(ids, fc.record({ host: hosts, ttl: ttls, value: fc.constant('192.0.2.2') }, { requiredKeys: [] }))
    .map(([id, changes]): GivenChange => ({ update: { id, ...changes } })),
  ids.map((id): GivenChange => ({ delete: { id } })),
  fc
    .tuple(hosts, fc.subarray(['192.0.2.1', '192.0.2.2', '192.0.2.4'], { minLength: 1 }), ttls)
    .map(([host, values, ttl]): GivenChange => ({ replace: { host, type: 'A', values, ttl } })),
)

it('a batch has the result of its changes one after the other, and is refused if one of them is', () => {
  const applied = (rows: readonly StoredRecord[], { removed, added }: RecordsPlan): StoredRecord[] => {
    const gone = new Set(removed.map(({ id }) => id))
    return [...rows.filter(({ id }) => !gone.has(id)), ...added].sort((x, y) => x.id - y.id)
  }
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 12 }), (given) => {
      const start = [a(1, 'a'), a(2, 'a'), a(3, 'b'), alias(4, 'c')]
      let rows: StoredRecord[] = start
      let lastId = 4
      let refusal: string | undefined
      for (const [position, change] of given.entries()) {
        const zone = zoneOf(rows, lastId)
        const wanted = wantedOf([change])
        const error = errorOf(() => {
          const { created, ...one } = runAtOnce(planChanges(zone, rows.length, rows, wanted, cap, now))
          rows = applied(rows, { created, ...one })
          lastId += created
        })
        if (error === undefined) continue
        refusal = `${position} ${error.code}`
        break
      }
      const wanted = wantedOf(given)
      const error = errorOf(() => {
        const whole = runAtOnce(planChanges(zoneOf(start, 4), start.length, start, wanted, cap, now))
        expect(applied(start, whole).map(textOf)).toEqual(rows.map(textOf))
        expect(whole.growth).toBe(zoneOf(rows).content_bytes - zoneOf(start).content_bytes)
      })
      expect(error && `${/^changes\[(\d+)\]/.exec(error.message)?.[1]} ${error.code}`).toBe(refusal)
    }),
    { numRuns: 2000 },
  )
})

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Account } from '../../../shared/account.js'
import { checkNewRecord } from '../records/check.js'
import type { GivenRecord } from '../records/record.js'
import { checkWantedChanges, type GivenChange } from '../records/wanted-changes.js'
import { checkWantedRRset } from '../records/wanted-rrset.js'
import { dnsStores, type DnsStores } from '../stores.js'
import { runAtOnce } from '../../../shared/time-slices.js'
import { readZoneFile } from '../zone-file/reader.js'
import { contentOf, type ChangedSet } from '../zones/change-text.js'

/** Random histories of zones. In each, the zone at every serial is what its records were then, and every change can be taken back. */

const isLong = process.env['SVC_TEST_LONG'] === '1'
/** Selects the histories. */
const seed = process.env['SVC_TEST_SEED']
/** On each database. */
const histories = isLong ? 5_000 : 150
const caps = { recordsMax: 40, zoneBytesMax: 2_000, zonesMax: 1_000_000 }
const now = '2026-11-20T09:30:00.000Z'

const host = fc.constantFrom('@', 'www', 'a', 'b.www', '*')
const ttl = fc.constantFrom(60, 300, 3600)
const valuesOf = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  TXT: ['A', 'www', '["www",["A",60', 'say "x"'],
  CNAME: ['www.example.net', 'a.example.net'],
  MX: ['mail.example.net', 'www.example.net'],
} as const

const given = fc.oneof(
  ...(['A', 'TXT', 'CNAME', 'MX'] as const).map((type) =>
    fc.record({
      type: fc.constant(type),
      host,
      value: fc.constantFrom<string>(...valuesOf[type]),
      ttl,
      ...(type === 'MX' && { priority: fc.constantFrom(10, 20) }),
    }),
  ),
) as fc.Arbitrary<GivenRecord>

/** Which of the records of then a step names. */
const nth = fc.nat(39)

const step = fc.oneof(
  { weight: 4, arbitrary: given.map((record) => ({ kind: 'create' as const, record })) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('update' as const), nth, ttl, host }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), nth }) },
  fc.record({ kind: fc.constant('replace' as const), host, ttl, count: fc.integer({ min: 1, max: 3 }) }),
  {
    weight: 2,
    arbitrary: fc.array(given, { minLength: 1, maxLength: 4 }).map((records) => ({ kind: 'batch' as const, records })),
  },
  fc.record({
    kind: fc.constant('import' as const),
    records: fc.array(given, { maxLength: 4 }),
    replace: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('revert' as const), back: fc.nat(10), isWhole: fc.boolean() }),
  fc.array(given, { minLength: 2, maxLength: 4 }).map((records) => ({ kind: 'together' as const, records })),
  fc.constant({ kind: 'release' as const }),
  fc.constant({ kind: 'lose' as const }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The zone and its records at each serial at which the account held it. */
class History {
  readonly states = new Map<number, readonly string[]>()

  constructor(
    readonly stores: DnsStores,
    readonly account: Account,
    readonly other: Account,
    readonly zone: string,
  ) {}

  async run(steps: readonly Step[]): Promise<void> {
    await this.stores.claims.claim(this.account, this.zone)
    await this.note()
    for (const one of steps) {
      try {
        await this.apply(one)
      } catch (error) {
        // A change that is refused leaves no trace.
        if (!(error instanceof ApiError)) throw error
      }
      await this.note()
    }
  }

  async apply(one: Step): Promise<unknown> {
    const { stores, account, other, zone } = this
    const { records, imports, reverts, claims } = stores
    const { records: rows } = await imports.records(account, zone)
    const row = 'nth' in one ? rows[one.nth % Math.max(rows.length, 1)] : undefined
    switch (one.kind) {
      case 'create':
        return records.apply(account, zone, { kind: 'create', record: checkNewRecord(zone, one.record) }, now)
      case 'together': {
        const creates = one.records.map((record) => ({ kind: 'create' as const, record: checkNewRecord(zone, record) }))
        return Promise.allSettled(creates.map((create) => records.apply(account, zone, create, now)))
      }
      case 'update':
        return (
          row &&
          records.apply(account, zone, { kind: 'update', id: row.id, changes: { ttl: one.ttl, host: one.host } }, now)
        )
      case 'delete':
        return row && records.apply(account, zone, { kind: 'delete', id: row.id }, now)
      case 'replace': {
        const wanted = { host: one.host, type: 'A' as const, ttl: one.ttl, values: valuesOf.A.slice(0, one.count) }
        return records.replaceRRset(account, zone, checkWantedRRset(zone, wanted), now)
      }
      case 'batch': {
        const deleted = rows.slice(0, 1).map(({ id }): GivenChange => ({ delete: { id } }))
        const changes = runAtOnce(checkWantedChanges(zone, [...deleted, ...one.records.map((create) => ({ create }))]))
        return records.applyChanges(account, zone, changes, now)
      }
      case 'import': {
        const lines = one.records.map(
          ({ host: at = '@', ttl: seconds, type, value, priority }) =>
            `${at} ${String(seconds)} IN ${type} ${priority ?? ''} ${type === 'TXT' ? JSON.stringify(value) : type === 'A' ? value : `${value}.`}`,
        )
        const { records: read } = readZoneFile(zone, lines.join('\n'), { recordsMax: 100 })
        return imports.apply(account, zone, read, { ...caps, replace: one.replace, now })
      }
      case 'revert': {
        const serials = [...this.states.keys()]
        const serial = serials.at(-1 - (one.back % serials.length)) ?? 0
        return reverts.apply(account, zone, one.isWhole ? { to: serial } : { serial }, now)
      }
      case 'release':
        await claims.release(account, zone)
        return claims.assign(account, zone)
      case 'lose': {
        await claims.assign(other, zone)
        await records.apply(
          other,
          zone,
          { kind: 'create', record: checkNewRecord(zone, { type: 'A', host: 'other', value: '192.0.2.9' }) },
          now,
        )
        return claims.assign(account, zone)
      }
    }
  }

  /** Notes the records of now. A step without an effect does not change the serial, so it must not change the records. */
  async note(): Promise<void> {
    const { serial, records } = await this.stores.imports.records(this.account, this.zone)
    const state = records.map(textOf).toSorted()
    expect(this.states.get(serial) ?? state).toEqual(state)
    this.states.set(serial, state)
  }

  async checkStates(): Promise<void> {
    for (const [serial, state] of this.states)
      expect(valuesIn(await this.stores.history.at(this.account, this.zone, serial))).toEqual(state)
  }

  /** Each change leads from the state before it to its own. */
  async checkChanges(): Promise<void> {
    const { changes, next, total } = await this.stores.history.page(this.account, this.zone, all, wholePage)
    expect([next, total]).toEqual([null, changes.length])
    const state = new Set<string>()
    for (const { id, removed, added } of changes.toReversed()) {
      for (const value of valuesIn(removed)) expect(state.delete(value), `${id} removes ${value}`).toBe(true)
      for (const value of valuesIn(added)) {
        expect(state.has(value), `${id} adds ${value} twice`).toBe(false)
        state.add(value)
      }
      expect([...state].toSorted()).toEqual(this.states.get(id) ?? [...state].toSorted())
    }
    expect([...state].toSorted()).toEqual([...this.states.values()].at(-1))
  }

  /** Takes back the last change of records, then its revert, then everything. */
  async checkReverts(): Promise<void> {
    const { stores, account, zone } = this
    const { changes } = await stores.history.page(account, zone, all, wholePage)
    const last = changes.find(({ removed, added }) => removed.length + added.length > 0)
    if (last === undefined) return
    const now_ = [...this.states.values()].at(-1) ?? []
    const without = new Set(valuesIn(last.added))
    const before = [...now_.filter((value) => !without.has(value)), ...valuesIn(last.removed)].toSorted()
    const stateNow = async () => (await stores.imports.records(account, zone)).records.map(textOf).toSorted()
    const planned = await stores.reverts.plan(account, zone, { serial: last.id }, now)
    expect(await stateNow()).toEqual(now_)
    const taken = await stores.reverts.apply(account, zone, { serial: last.id }, now)
    expect(taken.serial).toBe(planned.serial + 1)
    expect(await stateNow()).toEqual(before)
    await stores.reverts.apply(account, zone, { serial: taken.serial }, now)
    expect(await stateNow()).toEqual(now_)
    for (const serial of [...this.states.keys()].toReversed()) {
      await stores.reverts.apply(account, zone, { to: serial }, now)
      expect(await stateNow()).toEqual(this.states.get(serial))
    }
  }
}

const wholePage = { limit: 1000, before: Number.MAX_SAFE_INTEGER }
const all = { host: undefined, type: undefined }

type Content = Parameters<typeof contentOf>[0] & { value: string; priority: number | null }

const textOf = ({ host: at, type, ttl: seconds, value, priority }: Content): string =>
  [at, type, seconds, priority, value].join(' ')

const valuesIn = (sets: readonly ChangedSet[]): string[] =>
  sets.flatMap((set) => set.values.map((value) => textOf(contentOf(set, value)))).toSorted()

describe.each(databaseKinds)('a random history on %s', (kind) => {
  let site: TwoProcesses
  let zones = 0
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())

  it(
    'is rebuilt at every serial, and every change and every state can be restored',
    { timeout: 3_600_000 },
    async () => {
      const stores = dnsStores(site.db, caps)
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const [account, other] = site.people as [Account, Account]
          const history = new History(stores, account, other, `random-${++zones}.example`)
          await history.run(steps)
          await history.checkStates()
          await history.checkChanges()
          await history.checkReverts()
        }),
        // A failure prints its seed.
        { numRuns: histories, ...(seed !== undefined && { seed: Number(seed) }) },
      )
    },
  )
})

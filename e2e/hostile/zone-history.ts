import { expect } from 'vitest'
import type { Call } from './api-traffic.js'

/** The history of a zone beside its records, as a client sees both. */

interface ChangedSet {
  readonly host: string
  readonly type: string
  readonly ttl: number
  readonly values: readonly string[]
}

export interface ListedChange {
  readonly serial: number
  readonly request_id: string | null
  readonly removed: readonly ChangedSet[]
  readonly added: readonly ChangedSet[]
}

interface ListedRecord extends Omit<ChangedSet, 'values'> {
  readonly value: string
  readonly priority: number | null
}

/** One text for each value, sorted. */
const valuesIn = (sets: readonly ChangedSet[]): string[] =>
  sets.flatMap(({ host, type, ttl, values }) => values.map((value) => `${host} ${ttl} ${type} ${value}`)).toSorted()

async function dataOf<D>(call: Call, path: string): Promise<D> {
  const { status, body } = await call('GET', path)
  expect(status, JSON.stringify(body)).toBe(200)
  return body['data'] as D
}

/** All changes, oldest first. */
async function listChanges(call: Call, zone: string): Promise<ListedChange[]> {
  const changes: ListedChange[] = []
  for (let query = ''; ;) {
    const page = await dataOf<{ changes: ListedChange[]; next: number | null; total: number }>(
      call,
      `/v1/dns/zones/${zone}/history${query}`,
    )
    changes.push(...page.changes)
    if (page.next === null) return changes.toReversed()
    query = `?before=${String(page.next)}`
  }
}

async function listRecords(call: Call, zone: string): Promise<string[]> {
  const { records } = await dataOf<{ records: ListedRecord[] }>(call, `/v1/dns/zones/${zone}/records`)
  return valuesIn(
    records.map(({ value, priority, ...set }) => ({
      ...set,
      values: [priority === null ? value : `${priority} ${value}`],
    })),
  )
}

/** What the history of a zone has shown. */
export interface CheckedHistory {
  readonly requestIds: ReadonlySet<string>
  /** The values of the zone at each serial. */
  readonly states: ReadonlyMap<number, readonly string[]>
}

/**
 * Checks that the history has one change for each serial, that each change leads from the state before it to the next, and that the last
 * state is the records of the zone. Its first change must be the claim of a new zone.
 */
export async function checkedHistory(call: Call, zone: string): Promise<CheckedHistory> {
  const changes = await listChanges(call, zone)
  const records = await listRecords(call, zone)
  const [latest] = (await dataOf<{ changes: ListedChange[] }>(call, `/v1/dns/zones/${zone}/history?limit=1`)).changes
  // The zone has changed meanwhile. PostgreSQL may commit a change after its client was killed.
  if (latest?.serial !== changes.at(-1)?.serial) return checkedHistory(call, zone)
  const first = changes[0]?.serial ?? 0
  expect(changes.map(({ serial }) => serial - first)).toEqual(changes.map((_, i) => i))
  const state = new Set<string>()
  const states = new Map<number, readonly string[]>()
  for (const { serial, removed, added } of changes) {
    for (const value of valuesIn(removed)) expect(state.delete(value), `${serial} removes ${value}`).toBe(true)
    for (const value of valuesIn(added)) {
      expect(state.has(value), `${serial} adds ${value} twice`).toBe(false)
      state.add(value)
    }
    states.set(serial, [...state].toSorted())
  }
  expect(states.get(latest?.serial ?? 0)).toEqual(records)
  return { requestIds: new Set(changes.flatMap(({ request_id: id }) => id ?? [])), states }
}

/** The values of a zone at a serial, as the server rebuilds it. */
export async function rebuilt(call: Call, zone: string, serial: number): Promise<string[]> {
  const { rrsets } = await dataOf<{ rrsets: ChangedSet[] }>(call, `/v1/dns/zones/${zone}/history/${String(serial)}`)
  return valuesIn(rrsets)
}

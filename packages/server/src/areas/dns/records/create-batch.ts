import { ApiError } from '@svc/contract/errors'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit, type Unit } from '../../../db/unit.js'
import { batchedCalls, fulfilled } from '../../../shared/batched-calls.js'
import { lockFreeZones, type RuledZoneKey, type ZoneKey, type ZoneRow } from '../zones/verified-store.js'
import { nextSerial } from '../zones/version-store.js'
import { writeCreated, type CreatedRecord } from './created-store.js'
import { checkBytes, largerField, planCreate, type RecordPlan, type ZoneCap } from './plan.js'
import { recordColumns } from './presenter.js'
import type { CanonicalRecord, StoredRecord } from './record.js'

/**
 * New records of many requests in one transaction, on PostgreSQL. There a statement costs a round trip and about 50 µs of CPU, and most
 * creates need the same four statements. SQLite needs no batch: a statement costs 5 µs, and all queued units share a commit.
 */

/** A record that a request creates. */
export interface NewRecord extends RuledZoneKey {
  readonly record: CanonicalRecord
  /** RFC 3339. */
  readonly now: string
  /** Of its zone. */
  readonly cap: ZoneCap
}

/** The records at the hosts of a JSON array of [zone, account, host]. Each is looked up in dns_record_by_host (zone_id, host). */
const recordsAtHosts = prepared((db, p: { hosts: string }, dialect) => {
  const account = dialect === 'postgres' ? sql`cast(value ->> 1 as bigint)` : sql`value ->> 1`
  const values =
    dialect === 'postgres' ? sql`json_array_elements(cast(${p.hosts} as json))` : sql`json_each(${p.hosts})`
  const given = sql`(select value ->> 0 as zone, ${account} as account, value ->> 2 as host from ${values}) as given`
  const columns = sql.join(recordColumns.map((name) => sql.ref(`dns_record.${name}`)))
  const isAtHost = sql`dns_record.zone_id = (select id from dns_zone where name = given.zone) and dns_record.host = given.host
    and dns_record.account_id = given.account`
  // PostgreSQL might join all records to the list: "offset 0" makes it look up each host.
  const found =
    dialect === 'postgres'
      ? sql`${given} cross join lateral (select * from dns_record where ${isAtHost} offset 0) as dns_record`
      : sql`${given} cross join dns_record where ${isAtHost}`
  const query = sql<
    StoredRecord & { zone: string; account: number }
  >`select given.zone, given.account, ${columns} from ${found}
    order by dns_record.id`
  return { compile: () => query.compile(db) }
})

/** A zone with the records that the batch has planned so far. */
interface BatchZone extends ZoneKey, ZoneRow {
  /** By host, the account's records. */
  readonly hosts: Map<string, StoredRecord[]>
}

/**
 * Creates records that need only a new row. One that exists already stays as it is.
 * @returns for each record its plan with the new serial; undefined for one that must be applied alone: its zone is locked or not verified,
 *   it conflicts with another record, the rules of its token refuse it, it changes the ttl of others, or its zone may be full
 */
const createRecords = unit(
  import.meta,
  'createRecords',
  async (tx, wanted: readonly NewRecord[]): Promise<(RecordPlan | undefined)[]> => {
    const zones = await lockZones(tx, wanted)
    const created: CreatedRecord[] = []
    const plans = wanted.map((one) => {
      const zone = zones.get(one.zone)
      const plan = zone?.accountId === one.accountId ? planInBatch(zone, one) : undefined
      if (zone === undefined || plan === undefined || plan.step === 'none') return plan
      zones.set(zone.zone, zoneAfter(zone, plan))
      const serial = nextSerial(plan.serial)
      const { id: zoneId, accountId } = zone
      created.push({ zoneId, accountId, serial, actor: one.actor, record: plan.record, now: one.now })
      return { ...plan, serial }
    })
    if (created.length > 0) {
      const changed = new Set(created.map(({ zoneId }) => zoneId))
      writeCreated(
        tx,
        Array.from(zones.values()).filter(({ id }) => changed.has(id)),
        created,
      )
    }
    return plans
  },
)

/** Locks the zones that are free, and reads the records at the hosts, in one round trip. */
async function lockZones(tx: Transaction, wanted: readonly NewRecord[]): Promise<Map<string, BatchZone>> {
  const hosts = new Map(
    wanted.map(({ zone, accountId, record: { host } }) => [`${accountId} ${zone} ${host}`, [zone, accountId, host]]),
  )
  // PostgreSQL runs the second query after the first one, so it sees the latest records of the locked zones.
  const [locked, found] = await Promise.all([
    lockFreeZones(tx, wanted),
    tx.all(recordsAtHosts, { hosts: JSON.stringify([...hosts.values()]) }),
  ])
  const zones = new Map(
    Array.from(locked, ([name, zone]) => [name, { ...zone, hosts: new Map<string, StoredRecord[]>() }]),
  )
  for (const { zone, account, ...record } of found) {
    const of = zones.get(zone)
    if (of?.accountId === account) addAtHost(of, record)
  }
  return zones
}

/** @returns undefined for a record that must be applied alone */
function planInBatch(zone: BatchZone, { record, now, rules, actor, cap }: NewRecord): RecordPlan | undefined {
  // Then the records must be counted, which only the unit for one record does (store.ts).
  if (zone.last_record_id >= cap.recordsMax) return undefined
  try {
    const plan = planCreate({ ...zone, rules, actor }, zone.hosts.get(record.host) ?? [], record, now)
    checkBytes(zone, plan, largerField(plan), cap)
    return plan.step === 'update' || plan.ttlChanged.length > 0 ? undefined : plan
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return undefined
  }
}

function zoneAfter(zone: BatchZone, { record, growth, serial }: RecordPlan): BatchZone {
  addAtHost(zone, record)
  return { ...zone, serial: nextSerial(serial), last_record_id: record.id, content_bytes: zone.content_bytes + growth }
}

function addAtHost({ hosts }: BatchZone, record: StoredRecord): void {
  hosts.set(record.host, [...(hosts.get(record.host) ?? []), record])
}

/** The largest number of records that one transaction creates for several requests. */
const batchMax = 100

/**
 * Creates records of many requests together.
 * @param createOne creates one record with cheaper statements, and throws an ApiError for one that must be applied alone
 * @returns undefined for a record that must be applied alone
 */
export const batchedCreates = (
  db: Database,
  createOne: Unit<[NewRecord], RecordPlan>,
): ((record: NewRecord) => Promise<RecordPlan | undefined>) =>
  batchedCalls(async (wanted: readonly NewRecord[]) => {
    const [first, ...others] = wanted
    if (first === undefined || others.length > 0) return (await db.write(createRecords, wanted)).map(fulfilled)
    return [fulfilled(await db.write(createOne, first).catch(undefinedIfRefused))]
  }, batchMax)

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
  return undefined
}

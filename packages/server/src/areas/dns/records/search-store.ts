import { sql } from 'kysely'
import { contains, searched, type Searched } from '../../../db/contains.js'
import { isInNumbers } from '../../../db/json-list.js'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { foundOfKindMax, type Found, type Search } from '../../../shared/found.js'
import { turns } from '../../../shared/turns.js'

/** The zones of an account that are searched, and their records. */
const zonesMax = 10_000
const recordsMax = 100_000
/** How many records one query reads, unless one zone has more. It takes some milliseconds. */
const recordsAtOnce = 5_000
/** Characters of a value that are shown. */
const valueMaxLength = 100

/** Served by dns_claim_of_account (account_id, zone), and by dns_zone's unique name. */
const zones = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('dns_claim')
    .leftJoin('dns_zone', (on) =>
      on.onRef('dns_zone.name', '=', 'dns_claim.zone').on('dns_claim.status', '=', 'verified'),
    )
    .where('dns_claim.account_id', '=', p.accountId)
    .select(['dns_claim.zone', 'dns_claim.status', 'dns_zone.id', 'dns_zone.last_record_id as records'])
    .orderBy('dns_claim.zone')
    .limit(sql.lit(zonesMax)),
)

const host = sql.ref('dns_record.host')
const zoneName = sql.ref('dns_zone.name')
const fullName = sql<string>`case ${host} when '@' then ${zoneName} else ${host} || '.' || ${zoneName} end`

/** A text that is in the name of the zone is in the name of each of its records: these are found by their hosts only. */
const fitsName = (p: Searched, dialect: Dialect) => sql<boolean>`
  case when ${contains(zoneName, p, dialect)} then ${contains(host, p, dialect)}
    else ${contains(sql`(${fullName})`, p, dialect)} end`

/** Served by the primary key (zone_id, id), and by that of dns_zone. @param p.zoneIds JSON array of zones of the account */
const records = prepared((db, p: Searched & { accountId: number; zoneIds: string; rows: number }, dialect) =>
  db
    .selectFrom('dns_record')
    .innerJoin('dns_zone', 'dns_zone.id', 'dns_record.zone_id')
    .where(isInNumbers('dns_record.zone_id', p.zoneIds, dialect))
    .where('dns_record.account_id', '=', p.accountId)
    .where(sql<boolean>`(${fitsName(p, dialect)} or ${contains('dns_record.value', p, dialect)})`)
    .select(['dns_record.id', 'dns_record.type', 'dns_zone.name as zone'])
    .select([fullName.as('name'), sql<string>`substr(dns_record.value, 1, ${sql.lit(valueMaxLength)})`.as('value')])
    .limit(p.rows),
)

/** A zone counts as at most so many records, however often they have been replaced: the default maximum of a zone. */
const recordsOfZoneMax = 10_000

interface ListedZone {
  readonly id: number
  /** The number of ids that its records have had. */
  readonly records: number
}

/** Cuts a list of zones where the next query begins. At most `recordsMax` records are in all of them. */
function* batchesOf(listed: readonly ListedZone[]): Generator<number[]> {
  let [batch, inBatch, inAll]: [number[], number, number] = [[], 0, 0]
  for (const zone of listed) {
    const count = Math.min(zone.records, recordsOfZoneMax)
    if (inAll + count > recordsMax) continue
    if (batch.length > 0 && inBatch + count > recordsAtOnce) {
      yield batch
      ;[batch, inBatch] = [[], 0]
    }
    batch.push(zone.id)
    inBatch += count
    inAll += count
  }
  if (batch.length > 0) yield batch
}

/** Finds zones by their names, and records by name or value. */
export function dnsSearch(db: Database): Search {
  const oneEachTurn = turns()
  return async ({ id: accountId }, text, signal) => {
    const listed = await db.all(zones, { accountId })
    const lower = text.toLowerCase()
    const found: Found[] = listed
      .filter(({ zone }) => zone.includes(lower))
      .sort((a, b) => Number(b.zone.startsWith(lower)) - Number(a.zone.startsWith(lower)))
      .slice(0, foundOfKindMax)
      .map(({ zone, status }) => ({ kind: 'zone', label: zone, detail: status, path: [zone] }))
    const ofAccount = listed.flatMap(({ id, records: count }) => (id === null ? [] : { id, records: count ?? 0 }))
    let rows = foundOfKindMax
    for (const batch of batchesOf(ofAccount)) {
      const parameters = { accountId, zoneIds: JSON.stringify(batch), ...searched(text), rows }
      for (const { id, type, zone, name, value } of await oneEachTurn(() => db.all(records, parameters))) {
        found.push({ kind: 'record', label: name, detail: `${type} ${value}`, path: [zone, String(id)] })
        rows -= 1
      }
      if (rows === 0 || signal.aborted) break
    }
    return found
  }
}

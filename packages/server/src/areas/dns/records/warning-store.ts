import { sql } from 'kysely'
import { textList } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { readable } from '../zones/record-rules.js'
import { zoneKey, type ZoneKey } from '../zones/verified-store.js'
import { idOf, isAtHosts } from './host-store.js'
import type { ExistingRecord } from './record.js'

/** Records of a zone that make others of it useless, of those that the caller may read. */

const columns = ['id', 'type', 'host', 'value', 'ttl', 'priority'] as const

const aliases = prepared((db, p: ZoneKey & { hosts: string }, dialect) =>
  db
    .selectFrom('dns_record')
    .where((is) => isAtHosts(is, p, dialect))
    .where('type', '=', sql.lit('CNAME'))
    .select(columns)
    .orderBy('id'),
)

/** Reads the zone up to the first such record, by the primary key (zone_id, id). */
const pointing = prepared((db, p: ZoneKey & { name: string }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', (is) => idOf(is, p.zone))
    .where('account_id', '=', p.accountId)
    .where((is) =>
      is.or([
        is.and([is('type', 'in', ['MX', 'NS']), is('value', '=', p.name)]),
        is.and([
          is('type', '=', sql.lit('SRV')),
          sql<boolean>`substr(value, length(value) - length(cast(${p.name} as text))) = ' ' || cast(${p.name} as text)`,
        ]),
      ]),
    )
    .select(columns)
    .orderBy('id')
    .limit(1),
)

/** The text behind the last space. */
const targetOfSrv = sql<string>`substr(value, length(rtrim(value, replace(value, ' ', ''))) + 1)`

/** Reads the zone, by the primary key (zone_id, id). */
const pointingToAny = prepared((db, p: ZoneKey & { names: string }, dialect) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', (is) => idOf(is, p.zone))
    .where('account_id', '=', p.accountId)
    .where((is) =>
      is.or([
        is.and([is('type', 'in', ['MX', 'NS']), is('value', 'in', textList(p.names, dialect))]),
        is.and([is('type', '=', sql.lit('SRV')), is(targetOfSrv, 'in', textList(p.names, dialect))]),
      ]),
    )
    .select(columns)
    .orderBy('id'),
)

/** A part of `RecordStore`. */
export const warningStore = (db: Database) => ({
  /** The CNAMEs at some hosts. @param hosts relative to the zone */
  aliases: async (account: Account, zone: string, hosts: readonly string[]): Promise<ExistingRecord[]> => {
    const key = zoneKey(account, zone)
    return readable(key, await db.all(aliases, { ...key, hosts: JSON.stringify(hosts) }))
  },

  /** One MX, NS or SRV record whose target is a name; undefined if missing. @param name without a trailing dot */
  pointingTo: async (account: Account, zone: string, name: string): Promise<ExistingRecord | undefined> => {
    const key = zoneKey(account, zone)
    return readable(key, await db.all(pointing, { ...key, name }))[0]
  },

  /** The MX, NS and SRV records whose target is one of these names. @param names without a trailing dot */
  pointingToAny: async (account: Account, zone: string, names: readonly string[]): Promise<ExistingRecord[]> => {
    const key = zoneKey(account, zone)
    return readable(key, await db.all(pointingToAny, { ...key, names: JSON.stringify(names) }))
  },
})

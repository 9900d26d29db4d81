import { isInNumbers, isInTexts } from '../../../db/json-list.js'
import type { Database, Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { suffixesOf } from '../../../ports/dns/domain-names.js'
import { lockZones, moveChallenged } from '../zones/holder-store.js'
import { nextSerial } from '../zones/version-store.js'
import type { ChallengeValue } from './overlay.js'

/** Values that prove names of served zones to a CA (RFC 8555, section 8.4). Store of the system: they belong to no account. */

/**
 * An ended value is served no more; its row stays until an external provider has removed it too. A value whose time is over is served until
 * it is ended, which increments the serial: what is served at a serial never changes, so that secondaries have the same.
 */
const ended = 0

const valuesMax = 200

/** Served by the primary key (zone_id, host, value). */
const openIn = prepared((db, p: { zoneId: number }) =>
  db
    .selectFrom('dns_challenge')
    .where('zone_id', '=', p.zoneId)
    .where('expires_at', '!=', ended)
    .select(['host', 'value'])
    .orderBy('host')
    .orderBy('value')
    .limit(valuesMax),
)

const openOf = prepared((db, p: { zone: string }) =>
  db
    .selectFrom('dns_challenge')
    .where('zone_id', '=', (is) => is.selectFrom('dns_zone').where('name', '=', p.zone).select('dns_zone.id'))
    .where('expires_at', '!=', ended)
    .select(['host', 'value'])
    .orderBy('host')
    .orderBy('value')
    .limit(valuesMax),
)

const openBetween = prepared((db, p: { first: number; last: number }) =>
  db
    .selectFrom('dns_challenge')
    .where('zone_id', '>=', p.first)
    .where('zone_id', '<=', p.last)
    .where('expires_at', '!=', ended)
    .select(['zone_id', 'host', 'value'])
    .orderBy('zone_id')
    .orderBy('host')
    .orderBy('value'),
)

/** Served by dns_zone's unique name. */
const zonesNamed = prepared((db, p: { names: string }, dialect) =>
  db
    .selectFrom('dns_zone')
    .where(isInTexts('name', p.names, dialect))
    .where('deleted_at', 'is', null)
    .select('name'),
)

const expired = prepared((db, p: { now: number }) =>
  db.selectFrom('dns_challenge').where('expires_at', '<=', p.now).select('zone_id as id').distinct().limit(valuesMax),
)

/** Served by the primary key. */
const namesOf = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('dns_zone')
    .where(isInNumbers('id', p.ids, dialect))
    .select('name'),
)

const insert = prepared((db, p: ChallengeValue & { zoneId: number; expiresAt: number }) =>
  db
    .insertInto('dns_challenge')
    .values({ zone_id: p.zoneId, host: p.host, value: p.value, expires_at: p.expiresAt })
    .onConflict((same) => same.columns(['zone_id', 'host', 'value']).doUpdateSet({ expires_at: p.expiresAt })),
)

/** Reads the whole table, which has the values of orders that are under way. */
const extend = prepared((db, p: { values: string; now: number; expiresAt: number }, dialect) =>
  db
    .updateTable('dns_challenge')
    .set({ expires_at: p.expiresAt })
    .where(isInTexts('value', p.values, dialect))
    .where('expires_at', '>', p.now),
)

const endValues = prepared((db, p: { zoneId: number; values: string }, dialect) =>
  db
    .updateTable('dns_challenge')
    .set({ expires_at: ended })
    .where('zone_id', '=', p.zoneId)
    .where(isInTexts('value', p.values, dialect)),
)

const endExpired = prepared((db, p: { zoneId: number; now: number }) =>
  db
    .updateTable('dns_challenge')
    .set({ expires_at: ended })
    .where('zone_id', '=', p.zoneId)
    .where('expires_at', '<=', p.now),
)

const removeEnded = prepared((db, p: { zoneId: number }) =>
  db.deleteFrom('dns_challenge').where('zone_id', '=', p.zoneId).where('expires_at', '=', ended),
)

const openValues = unit(
  import.meta,
  'openValues',
  async (tx, zone: string, values: readonly ChallengeValue[], expiresAt: number) => {
    const zones = await lockZones(tx, [zone])
    // One by one: an order has few names, and all statements are sent together.
    for (const { id } of zones) for (const value of values) tx.send(insert, { ...value, zoneId: id, expiresAt })
    moveChallenged(tx, zones)
    return zones.map(({ serial }) => nextSerial(serial))[0]
  },
)

const extendValues = unit(
  import.meta,
  'extendValues',
  async (tx, values: readonly string[], now: number, expiresAt: number) => {
    tx.send(extend, { values: JSON.stringify(values), now, expiresAt })
  },
)

const closeValues = unit(import.meta, 'closeValues', async (tx, zone: string, values: readonly string[]) => {
  const zones = await lockZones(tx, [zone])
  for (const { id } of zones) tx.send(endValues, { zoneId: id, values: JSON.stringify(values) })
  moveChallenged(tx, zones)
})

const closeExpired = unit(import.meta, 'closeExpired', async (tx, zone: string, now: number) => {
  const zones = await lockZones(tx, [zone])
  for (const { id } of zones) tx.send(endExpired, { zoneId: id, now })
  moveChallenged(tx, zones)
})

const forgetEnded = unit(import.meta, 'forgetEnded', async (tx, zone: string) => {
  for (const { id } of await lockZones(tx, [zone])) tx.send(removeEnded, { zoneId: id })
})

/** The values that a zone serves beside its records. */
export const openChallenges = (reader: Reader, zoneId: number): Promise<ChallengeValue[]> =>
  reader.all(openIn, { zoneId })

/** The same for a range of zones. */
export const openChallengesBetween = (reader: Reader, first: number, last: number) =>
  reader.all(openBetween, { first, last })

export type ChallengeStore = ReturnType<typeof challengeStore>

export const challengeStore = (db: Database) => ({
  /** The zone that serves a name: the longest one; undefined without one. */
  zoneOf: async (name: string): Promise<string | undefined> => {
    const found = await db.all(zonesNamed, { names: JSON.stringify(suffixesOf(name)) })
    return found.map((zone) => zone.name).toSorted((a, b) => b.length - a.length)[0]
  },

  openOf: (zone: string): Promise<ChallengeValue[]> => db.all(openOf, { zone }),

  /**
   * Adds values until a time, and increments the serial of the zone.
   * @param expiresAt milliseconds since the epoch
   * @returns the new serial; undefined without the zone
   */
  open: (zone: string, values: readonly ChallengeValue[], expiresAt: number): Promise<number | undefined> =>
    db.write(openValues, zone, values, expiresAt),

  /** Serves open values longer. @param expiresAt milliseconds since the epoch */
  extend: (values: readonly string[], expiresAt: number): Promise<void> =>
    db.write(extendValues, values, Date.now(), expiresAt),

  /** Ends values, and increments the serial of the zone. */
  close: (zone: string, values: readonly string[]): Promise<void> => db.write(closeValues, zone, values),

  /** Ends the values whose time is over, and increments the serial of the zone. */
  closeExpired: (zone: string): Promise<void> => db.write(closeExpired, zone, Date.now()),

  /** Removes the ended values, once the zone is published without them. */
  forgetEnded: (zone: string): Promise<void> => db.write(forgetEnded, zone),

  /** Zones with values that have ended or expired: an order was interrupted. */
  zonesToClean: async (): Promise<string[]> => {
    const zones = await db.all(expired, { now: Date.now() })
    const named = await db.all(namesOf, { ids: JSON.stringify(zones.map(({ id }) => id)) })
    return named.map(({ name }) => name)
  },
})

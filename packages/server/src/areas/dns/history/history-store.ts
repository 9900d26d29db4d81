import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../../../db/port.js'
import type { Account } from '../../../shared/account.js'
import type { PageKey } from '../../../shared/page.js'
import { isPartOfZone, recordFilter } from '../../../shared/rules.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { turns } from '../../../shared/turns.js'
import { readZoneRecords } from '../records/zone-records-store.js'
import { groupSets, readSets, type ChangedSet } from '../zones/change-text.js'
import { requireVerified, zoneKey, type RuledZoneKey } from '../zones/verified-store.js'
import { countRows, readPage, type ChangeRow, type HistoryFilter, type HistoryKey } from './change-store.js'
import { recordsAt } from './past-records.js'

/** The history of a zone, as far as its holder may see it. */

/** A change, with the values that the caller may see and asked for. */
export interface Change extends Omit<ChangeRow, 'removed' | 'added'> {
  readonly removed: readonly ChangedSet[]
  readonly added: readonly ChangedSet[]
}

export interface HistoryPage {
  /** Newest first. */
  readonly changes: readonly Change[]
  /** A serial: `before` of the next page; null on the last page. */
  readonly next: number | null
  /** Number of changes on all pages. */
  readonly total: number
}

type SetFilter = (set: ChangedSet) => boolean

const toChange = ({ removed, added, ...row }: ChangeRow, isShown: SetFilter): Change => ({
  ...row,
  removed: readSets(removed).filter(isShown),
  added: readSets(added).filter(isShown),
})

const hasRecords = ({ removed, added }: Change): boolean => removed.length + added.length > 0

/** The sets that a filter selects and the rules of the caller allow to read. */
function setFilter({ rules, zone }: RuledZoneKey, { host, type }: HistoryFilter): SetFilter {
  const isReadable = recordFilter(rules, { kind: 'zone', name: zone, access: 'read' })
  return (set) => (host ?? set.host) === set.host && (type ?? set.type) === set.type && isReadable(set)
}

export const historyStore = (db: Database) => {
  const oneEachTurn = turns()

  async function keyOf(key: RuledZoneKey): Promise<HistoryKey> {
    const { id: zoneId, serial: latest } = await requireVerified(db, key)
    return { zoneId, accountId: key.accountId, latest }
  }

  /** All changes are read: which of them have records that the rules allow cannot be asked of the database. */
  async function readablePage(key: HistoryKey, filter: HistoryFilter, page: PageKey, isShown: SetFilter) {
    const changes: Change[] = []
    let total = 0
    let next: number | null = null
    for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
      const below: number = before
      const read = await oneEachTurn(() => readPage(db, key, filter, { limit: 200, before: below }))
      for (const row of read.entries) {
        const change = toChange(row, isShown)
        if (!hasRecords(change)) continue
        total++
        if (change.id >= page.before) continue
        if (changes.length < page.limit) changes.push(change)
        else next ??= changes.at(-1)?.id ?? null
      }
      before = read.next
    }
    return { changes, next, total }
  }

  return {
    /** @throws ApiError `forbidden_zone` */
    page: async (account: Account, zone: string, filter: HistoryFilter, page: PageKey): Promise<HistoryPage> => {
      const zoneOf = zoneKey(account, zone)
      const key = await keyOf(zoneOf)
      const isShown = setFilter(zoneOf, filter)
      if (isPartOfZone(account.rules, zone)) return readablePage(key, filter, page, isShown)
      return oneEachTurn(async () => {
        const total = await countRows(db, key, filter)
        const { entries, next } = await readPage(db, key, filter, page)
        return { changes: entries.map((row) => toChange(row, isShown)), next, total }
      })
    },

    /** The records at a serial that the caller may read. @throws ApiError `forbidden_zone`, `not_found` */
    at: async (account: Account, zone: string, serial: number): Promise<readonly ChangedSet[]> => {
      const zoneOf = zoneKey(account, zone)
      const { zoneId, accountId } = await keyOf(zoneOf)
      const records = await readZoneRecords(db, { zoneId, accountId }, nextTurn)
      // Read again: the zone may have changed while its records were read.
      const contents = await recordsAt(db, await keyOf(zoneOf), serial, records, nextTurn)
      const isReadable = recordFilter(account.rules, { kind: 'zone', name: zone, access: 'read' })
      const readable = [...contents].filter(([, record]) => isReadable(record))
      // The same order at every serial.
      const sorted = readable.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record)
      return runInSlices(groupSets(sorted), nextTurn)
    },
  }
}

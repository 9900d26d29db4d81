import type { Database } from '../../../db/port.js'
import type { Account } from '../../../shared/account.js'
import { unpackRequestId } from '../../../shared/packed-request-id.js'
import type { PageKey } from '../../../shared/page.js'
import { isPartOfZone, recordFilter } from '../../../shared/rules.js'
import { requireClient } from '../../../shared/require-client.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { turns } from '../../../shared/turns.js'
import { readZoneRecords } from '../records/zone-records-store.js'
import { groupSets, readSets, readShortSets, type ChangedSet, type RecordContent } from '../zones/change-text.js'
import { requireVerified, zoneKey, type RuledZoneKey } from '../zones/verified-store.js'
import {
  countRows,
  pageMaxBytes,
  readAll,
  readFiltered,
  readPage,
  type ChangeRow,
  type HistoryFilter,
  type HistoryKey,
} from './change-store.js'
import { historySlots } from './history-slots.js'
import { recordsAt, type Contents } from './past-records.js'

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

/** The sets of a text that are shown. A generator only for a long one, because most changes have one record. */
const shownSets = (text: string, isShown: SetFilter): ChangedSet[] | Generator<undefined, ChangedSet[]> =>
  readShortSets(text)?.filter(isShown) ?? shownSteps(text, isShown)

function* shownSteps(text: string, isShown: SetFilter): Generator<undefined, ChangedSet[]> {
  const shown: ChangedSet[] = []
  for (const sets of readSets(text)) {
    for (const set of sets) if (isShown(set)) shown.push(set)
    yield
  }
  return shown
}

/** The changes of rows, as a computation that can be interrupted. */
function* toChanges(rows: readonly ChangeRow[], isShown: SetFilter): Generator<undefined, Change[]> {
  const changes: Change[] = []
  for (const row of rows) {
    const [removed, added] = [shownSets(row.removed, isShown), shownSets(row.added, isShown)]
    changes.push({
      ...row,
      requestId: unpackRequestId(row.requestId),
      removed: Array.isArray(removed) ? removed : yield* removed,
      added: Array.isArray(added) ? added : yield* added,
    })
    yield
  }
  return changes
}

const sizeOf = ({ removed, added }: ChangeRow): number => removed.length + added.length

const hasRecords = ({ removed, added }: Change): boolean => removed.length + added.length > 0

/** The sets that a filter selects and the rules of the caller allow to read. */
function setFilter({ rules, zone }: RuledZoneKey, { host, type }: HistoryFilter): SetFilter {
  const isReadable = recordFilter(rules, { kind: 'zone', name: zone, access: 'read' })
  return (set) => (host ?? set.host) === set.host && (type ?? set.type) === set.type && isReadable(set)
}

/** Ends the turn of the event loop. */
type Pause = () => Promise<void>

/** All changes are read: which of them have records that the rules allow cannot be asked of the database. */
async function readablePage(
  db: Database,
  key: HistoryKey,
  filter: HistoryFilter,
  page: PageKey,
  isShown: SetFilter,
  pause: Pause,
) {
  const changes: Change[] = []
  let total = 0
  let next: number | null = null
  let bytes = 0
  for await (const rows of readAll(db, key, filter)) {
    for (const [i, change] of (await runInSlices(toChanges(rows, isShown), pause)).entries()) {
      if (!hasRecords(change)) continue
      total++
      if (change.id >= page.before || next !== null) continue
      bytes += rows[i] === undefined ? 0 : sizeOf(rows[i])
      if (changes.length < page.limit && (bytes <= pageMaxBytes || changes.length === 0)) changes.push(change)
      else next = changes.at(-1)?.id ?? null
    }
    await pause()
  }
  return { changes, next, total }
}

async function filteredPage(db: Database, key: HistoryKey, filter: HistoryFilter, page: PageKey, pause: Pause) {
  if (filter.host !== undefined || filter.type !== undefined) return readFiltered(db, key, filter, page, pause)
  const total = await countRows(db, key, pause)
  return { ...(await readPage(db, key, page)), total }
}

export const historyStore = (db: Database) => {
  const oneEachTurn = turns()
  const inSlot = historySlots()

  async function keyOf(key: RuledZoneKey): Promise<HistoryKey> {
    const { id: zoneId, serial: latest } = await requireVerified(db, key)
    return { zoneId, accountId: key.accountId, latest }
  }

  // Of several requests at once, one slice runs in each turn of the event loop.
  const pause = () => oneEachTurn(() => Promise.resolve())

  return {
    /** @param hasLeft whether the client has left @throws ApiError `forbidden_zone`, or if the client has left */
    page: (
      account: Account,
      zone: string,
      filter: HistoryFilter,
      page: PageKey,
      hasLeft: () => boolean = () => false,
    ): Promise<HistoryPage> =>
      inSlot(account, async () => {
        const pauseForClient = async () => {
          await pause()
          requireClient(hasLeft)
        }
        requireClient(hasLeft)
        const zoneOf = zoneKey(account, zone)
        const key = await keyOf(zoneOf)
        const isShown = setFilter(zoneOf, filter)
        if (isPartOfZone(account.rules, zone)) return readablePage(db, key, filter, page, isShown, pauseForClient)
        await pauseForClient()
        const { entries, next, total } = await filteredPage(db, key, filter, page, pauseForClient)
        await pauseForClient()
        return { changes: await runInSlices(toChanges(entries, isShown), pause), next, total }
      }),

    /** The records at a serial that the caller may read. @throws ApiError `forbidden_zone`, `not_found` */
    at: (account: Account, zone: string, serial: number): Promise<readonly ChangedSet[]> =>
      inSlot(account, async () => {
        const zoneOf = zoneKey(account, zone)
        const { zoneId, accountId } = await keyOf(zoneOf)
        const records = await readZoneRecords(db, { zoneId, accountId }, pause)
        // Read again: the zone may have changed while its records were read.
        const contents = await recordsAt(db, await keyOf(zoneOf), serial, records, pause)
        const isReadable = recordFilter(account.rules, { kind: 'zone', name: zone, access: 'read' })
        // The same order at every serial.
        const sorted = [...contents.keys()].toSorted()
        await pause()
        return runInSlices(groupSets(recordsOf(contents, sorted, isReadable)), pause)
      }),
  }
}

function* recordsOf(
  contents: Contents,
  keys: readonly string[],
  isReadable: (record: RecordContent) => boolean,
): Generator<RecordContent> {
  for (const key of keys) {
    const record = contents.get(key)
    if (record !== undefined && isReadable(record)) yield record
  }
}

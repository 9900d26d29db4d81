import { accountStore } from '../areas/account/accounts/store.js'
import { historyStore, type Change } from '../areas/dns/history/history-store.js'
import { revertStore, type Revert } from '../areas/dns/history/revert-store.js'
import { importStore } from '../areas/dns/zone-file/import-store.js'
import { differenceSteps, type ChangedSet, type Difference } from '../areas/dns/zones/change-text.js'
import type { Config } from '../config/config.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { Database } from '../db/port.js'
import type { Account } from '../shared/account.js'
import { OperatorError } from '../shared/operator-error.js'
import { runAtOnce } from '../shared/time-slices.js'
import { timestamp } from '../shared/timestamp.js'
import { actingBy } from './accounts.js'
import { zone } from './input.js'
import { withExistingDatabase } from './with-database.js'
import { withPublisher } from './with-publisher.js'

export interface ZoneHistory {
  readonly zone: string
  /** Email of the holder. */
  readonly account: string
  /** Newest first. */
  readonly changes: readonly ListedChange[]
  /** How many the history has. */
  readonly total: number
}

/** A change, with its values as lines. */
export interface ListedChange {
  readonly serial: number
  readonly at: string
  /** Of the token, or the command. */
  readonly actor: string
  /** Begins with `-` or `+`; of a change of the holder, its kind. */
  readonly lines: readonly string[]
}

const all = { host: undefined, type: undefined }

/**
 * `svc dns history`: the changes of a zone during the time of its holder.
 * @param limit the most changes @throws OperatorError for a zone without a verified claim
 */
export const zoneHistory = (config: DatabaseConfig, zoneName: string, limit: number): Promise<ZoneHistory> => {
  const name = zone(zoneName)
  return withExistingDatabase(config, async (db) => {
    const account = await holderOf(db, name)
    const page = { limit, before: Number.MAX_SAFE_INTEGER }
    const { changes, total } = await historyStore(db).page(account, name, all, page)
    return { zone: name, account: account.email, changes: changes.map(toListed), total }
  })
}

export interface ZoneReverted {
  readonly zone: string
  readonly account: string
  /** After the revert; after a dry run, the old one. */
  readonly serial: number
  /** Each begins with `-` or `+`. */
  readonly lines: readonly string[]
}

/**
 * `svc dns revert`: takes back one change of a zone, or all since a serial.
 * @param dryRun reports the changes without making them
 * @throws OperatorError for a zone without a verified claim; ApiError for what cannot be taken back
 */
export const revertZone = (
  config: Pick<Config, 'database' | 'dns'>,
  zoneName: string,
  revert: Revert,
  dryRun: boolean,
): Promise<ZoneReverted> => {
  const name = zone(zoneName)
  return withExistingDatabase(config.database, async (db) => {
    const account = actingBy(await holderOf(db, name), 'svc dns revert')
    const { serial, removed, added } = dryRun
      ? await revertStore(db, config.dns).plan(account, name, revert, timestamp(Date.now()))
      : await withPublisher(config, db, (publisher) => publisher.revert(account, name, revert))
    const lines = linesOf(runAtOnce(differenceSteps(removed, added)))
    return { zone: name, account: account.email, serial, lines }
  })
}

async function holderOf(db: Database, name: string): Promise<Account> {
  const holder = await importStore(db).holder(name)
  const account = holder && (await accountStore(db).byEmail(holder.email))
  if (account === undefined) throw new OperatorError(`${name} is not verified for any account.`)
  return account
}

const toListed = ({ id, at, action, kind, actorName, actorId, ...sets }: Change): ListedChange => ({
  serial: id,
  at: timestamp(at),
  actor: actorId === null ? actorName : `${kind} ${actorName} (${actorId})`,
  lines: action === '' ? linesOf(sets) : [action, ...linesOf(sets)],
})

const linesOf = ({ removed, added }: Difference): string[] => [
  ...removed.flatMap((set) => setLines('-', set)),
  ...added.flatMap((set) => setLines('+', set)),
]

const setLines = (mark: string, { host, type, ttl, values }: ChangedSet): string[] =>
  values.map((value) => `${mark} ${host} ${ttl} ${type} ${value}`)

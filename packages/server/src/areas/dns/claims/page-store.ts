import type { ClaimStatus } from '@svc/contract'
import { sql } from 'kysely'
import { isOwnBefore } from '../../../db/account-page.js'
import { isInTexts } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { cutPage, type Page, type PageKey } from '../../../shared/page.js'
import { readableNames, type Rules } from '../../../shared/rules.js'
import { turns } from '../../../shared/turns.js'
import { columns, toClaim, type Claim } from './claim.js'

/** Pages of the claims of an account, for clients that ask for them. */

export interface ClaimsPage extends Page<Claim> {
  /** Number of claims on all pages. */
  readonly total: number
}

interface ListKey {
  readonly accountId: number
  /** Null for all. */
  readonly status: ClaimStatus | null
}

const isOfStatus = ({ status }: ListKey) => {
  const wanted = sql<ClaimStatus>`cast(${status} as text)`
  return sql<boolean>`(${wanted} is null or status = ${wanted})`
}

/** Served by dns_claim_by_account (account_id, id), read backwards. */
const page = prepared((db, p: ListKey & { before: number; rows: number }, dialect) =>
  db
    .selectFrom('dns_claim')
    .where(isOwnBefore('dns_claim', p, dialect))
    .where(isOfStatus(p))
    .select(['id', ...columns])
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** The same of some zones. Served by dns_claim_of_account (account_id, zone). @param p.zones JSON array */
const pageOfZones = prepared((db, p: ListKey & { zones: string; before: number; rows: number }, dialect) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .where(isInTexts('zone', p.zones, dialect))
    .where('id', '<', p.before)
    .where(isOfStatus(p))
    .select(['id', ...columns])
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Served by dns_claim_of_account. */
const count = prepared((db, p: ListKey) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .where(isOfStatus(p))
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Served by dns_claim_of_account. @param p.zones JSON array */
const countOfZones = prepared((db, p: ListKey & { zones: string }, dialect) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .where(isInTexts('zone', p.zones, dialect))
    .where(isOfStatus(p))
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Reads pages of the claims that the caller may read, newest first. One page in each turn of the event loop. */
export function claimPages(db: Database) {
  const oneEachTurn = turns()

  function read(rules: Rules | undefined, key: ListKey & { before: number; rows: number }) {
    const names = readableNames(rules, 'zone')
    if (names === undefined) return Promise.all([db.all(page, key), db.one(count, key)])
    const ofZones = { ...key, zones: JSON.stringify(names) }
    return Promise.all([db.all(pageOfZones, ofZones), db.one(countOfZones, ofZones)])
  }

  return (account: Account, status: ClaimStatus | null, { limit, before }: PageKey): Promise<ClaimsPage> =>
    oneEachTurn(async () => {
      const [rows, counted] = await read(account.rules, { accountId: account.id, status, before, rows: limit + 1 })
      const { entries, next } = cutPage(rows, limit)
      return { entries: entries.map(toClaim), next, total: counted?.count ?? 0 }
    })
}

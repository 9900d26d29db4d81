import { fileKindRules, type FileKind } from '@svc/contract/limits'
import { sql } from 'kysely'
import { isOwnBefore } from '../../../db/account-page.js'
import { contains, searched, type Searched } from '../../../db/contains.js'
import { isInNumbers } from '../../../db/json-list.js'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { foundOfKindMax, type Search } from '../../../shared/found.js'
import type { Page, PageKey } from '../../../shared/page.js'
import { turns, type Turns } from '../../../shared/turns.js'
import type { ListedFile } from './presenter.js'
import { listedColumns } from './read-store.js'

/** Which files a search finds: those that fit all conditions. */
interface FileSearch {
  /** A part of the name. */
  readonly text?: string | undefined
  readonly kind?: FileKind | undefined
  readonly shared?: boolean | undefined
}

/** With an empty text for every name. */
interface Conditions extends Searched {
  /** Empty for every kind. */
  readonly kind: string
  /** 1 for shared files, 0 for the others, -1 for both. */
  readonly shared: number
}

/** How many files one query reads. SQLite reads them on the event loop in two milliseconds. */
const filesAtOnce: Readonly<Record<Dialect, number>> = { sqlite: 5_000, postgres: 50_000 }

const kindOfRow = sql<string>`case ${sql.join(
  fileKindRules.map(([kind, beginnings]) => {
    const tests = beginnings.map((beginning) => sql`lower(media_type) like ${sql.lit(`${beginning}%`)}`)
    return sql`when ${sql.join(tests, sql` or `)} then ${sql.lit(kind)}`
  }),
  sql` `,
)} else 'other' end`

const fits = (p: Conditions, dialect: Dialect) => sql<boolean>`
  (cast(${p.text} as text) = '' or ${contains('name', p, dialect)})
  and (cast(${p.shared} as integer) = -1 or cast(${p.shared} as integer) = case when share_key is null then 0 else 1 end)
  and (cast(${p.kind} as text) = '' or cast(${p.kind} as text) = ${kindOfRow})`

/**
 * The ids that fit among the next files of an account, as JSON, in one row. Served by file_by_account (account_id, id): it reads these
 * files and no others, after it has found the last of them in the index alone. An index on parts of names (trigrams) would be another
 * one for each database, and would slow down every upload; without it, a search of 100,000 files takes less than 50 ms in all.
 */
const scan = prepared((db, p: Conditions & { accountId: number; before: number }, dialect) => {
  const last = db
    .selectFrom('file')
    .where(isOwnBefore('file', p, dialect))
    .select('id')
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(sql.lit(filesAtOnce[dialect] - 1))
  const list = sql.ref(dialect === 'postgres' ? 'json_agg' : 'json_group_array')
  return db
    .selectFrom('file')
    .where(isOwnBefore('file', p, dialect))
    .where('id', '>=', (row) => row.fn.coalesce(last, sql.lit(0)))
    .select((row) => [
      row.fn.countAll<number>().as('count'),
      row.fn.coalesce(row.fn.min<number>('id'), sql.lit(0)).as('last'),
    ])
    .select(sql<string>`coalesce(cast(${list}(id) filter (where ${fits(p, dialect)}) as text), '[]')`.as('ids'))
})

/** Served by the primary key. */
const byIds = prepared((db, p: { accountId: number; ids: string }, dialect) =>
  db
    .selectFrom('file')
    .where('account_id', '=', p.accountId)
    .where(isInNumbers('id', p.ids, dialect))
    .select(listedColumns)
    .orderBy('id', 'desc'),
)

const nothing = { count: 0, last: 0, ids: '[]' }

/** The ids that fit, newest first: a list for each query. */
async function* findIds(db: Database, oneEachTurn: Turns, accountId: number, conditions: Conditions) {
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const parameters = { ...conditions, accountId, before }
    const { count, last, ids } = (await oneEachTurn(() => db.one(scan, parameters))) ?? nothing
    // An aggregate has no order.
    yield (JSON.parse(ids) as number[]).sort((a, b) => b - a)
    if (count < filesAtOnce[db.dialect]) return
    before = last
  }
}

/** Finds files of an account, newest first. @returns a page of them, and their number on all pages */
export function fileSearch(db: Database) {
  const oneEachTurn = turns()

  async function readPage(accountId: number, ids: readonly number[], limit: number): Promise<Page<ListedFile>> {
    const shown = ids.slice(0, limit)
    const entries = await db.all(byIds, { accountId, ids: JSON.stringify(shown) })
    return { entries, next: ids.length > limit ? (shown.at(-1) ?? null) : null }
  }

  return async ({ id }: Account, { text = '', kind, shared }: FileSearch, { limit, before }: PageKey) => {
    const conditions = { ...searched(text), kind: kind ?? '', shared: shared === undefined ? -1 : Number(shared) }
    const onPage: number[] = []
    let total = 0
    for await (const found of findIds(db, oneEachTurn, id, conditions)) {
      total += found.length
      // One more than the page has: it shows that another page exists.
      onPage.push(...found.filter((fileId) => fileId < before).slice(0, limit + 1 - onPage.length))
    }
    return { total, page: await readPage(id, onPage, limit) }
  }
}

/** The newest files of an account that are searched for a name. */
const searchedMax = 500_000

/** For PostgreSQL, which does not read on the event loop. Served by file_by_account (account_id, id), read backwards. */
const firstNamed = prepared((db, p: Searched & { accountId: number; before: number; rows: number }, dialect) => {
  const newest = db
    .selectFrom('file')
    .where(isOwnBefore('file', p, dialect))
    .select(['id', 'name', 'media_type as mediaType'])
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(searchedMax))
  return db
    .selectFrom(newest.as('newest'))
    .where(contains('name', p, dialect))
    .select(['id', 'name', 'mediaType'])
    .limit(p.rows)
})

/** Finds the newest files with a text in their names. */
export function newestNamed(db: Database): Search {
  const oneEachTurn = turns()

  async function firstInTurns(accountId: number, text: Searched, signal: AbortSignal) {
    const ids: number[] = []
    let searchedCount = 0
    for await (const found of findIds(db, oneEachTurn, accountId, { ...text, kind: '', shared: -1 })) {
      ids.push(...found.slice(0, foundOfKindMax - ids.length))
      searchedCount += filesAtOnce.sqlite
      if (ids.length === foundOfKindMax || searchedCount >= searchedMax || signal.aborted) break
    }
    return db.all(byIds, { accountId, ids: JSON.stringify(ids) })
  }

  return async ({ id: accountId }, given, signal) => {
    const text = searched(given)
    const files =
      db.dialect === 'postgres'
        ? await db.all(firstNamed, { ...text, accountId, before: Number.MAX_SAFE_INTEGER, rows: foundOfKindMax })
        : await firstInTurns(accountId, text, signal)
    return files.map(({ id, name, mediaType }) => ({
      kind: 'file',
      label: name,
      detail: mediaType,
      path: [String(id)],
    }))
  }
}

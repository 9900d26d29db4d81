import BetterSqlite from 'better-sqlite3'
import type { Compiled } from '../src/db/prepared.js'

/** A step of `explain query plan`, such as `SEARCH token USING INDEX token_by_account (account_id=?)`. */
const scan = /^SCAN (?<name>\w+)/
const search = /^SEARCH (?<name>\w+) (?:EXISTS )?USING (?<access>.*?)(?: \((?<condition>.*)\))?(?: LEFT-JOIN)?$/

/** Explains queries on SQLite. @param file a migrated database without rows */
export function sqlitePlans(file: string) {
  const handle = new BetterSqlite(file, { readonly: true })
  const list = (sql: string, ...params: string[]) =>
    handle
      .prepare(sql)
      .pluck()
      .all(...params) as string[]
  const tables = new Set(list(`select name from sqlite_schema where type = 'table'`))
  const columnsOf = (table: string) => list('select name from pragma_table_info(?)', table)

  /** The table behind a name in a plan; undefined for a subquery or a table function. */
  function tableOf(name: string, sql: string): string | undefined {
    if (tables.has(name)) return name
    const alias = new RegExp(`"?(\\w+)"? as "?${name}\\b`).exec(sql)?.[1]
    return alias !== undefined && tables.has(alias) ? alias : undefined
  }

  /** The unique keys of a table as conditions of a plan. */
  const uniqueKeysOf = (table: string) => [
    ['rowid=?'],
    ...(
      handle
        .prepare('select name from pragma_index_list(?) where "unique" and not partial')
        .pluck()
        .all(table) as string[]
    ).map((key) =>
      list('select name from pragma_index_info(?) where name is not null', key).map((column) => `${column}=?`),
    ),
  ]

  function excessOf(step: string, sql: string): string[] {
    const { name, access, condition = '' } = (scan.exec(step) ?? search.exec(step))?.groups ?? {}
    const table = name === undefined ? undefined : tableOf(name, sql)
    if (table === undefined) return []
    if (access === undefined) return [`reads all of ${table}`]
    const conditions = condition.split(' AND ')
    const isOfAccount = sql.includes('"account_id" = ?') && columnsOf(table).includes('account_id')
    const isOneRow = uniqueKeysOf(table).some((key) => key.every((column) => conditions.includes(column)))
    return !isOfAccount || isOneRow || conditions.includes('account_id=?')
      ? []
      : [`reads rows of other accounts from ${table}`]
  }

  return {
    /** How the plan of a query reads rows that it does not need. */
    excessReads({ sql, bind }: Compiled<never>): string[] {
      // For an inserted row, the plan contains checks of rows that refer to it, which run only after a violation in the same transaction.
      handle.pragma(`foreign_keys = ${sql.startsWith('insert') ? 'off' : 'on'}`)
      const steps = handle.prepare(`explain query plan ${sql}`).all(bind({} as never).map(() => null)) as {
        detail: string
      }[]
      return steps.flatMap(({ detail }) => excessOf(detail, sql))
    },
    close: () => handle.close(),
  }
}

import { tableNames, tables } from '../src/app/tables.js'
import { countAccountRows } from '../src/app/account-rows-store.js'
import type { ColumnCheck } from '../src/db/columns.js'
import type { DatabaseConfig } from '../src/db/connect.js'
import type { Database } from '../src/db/port.js'
import { runSql } from './site.js'

/** Tried in this order: SQL literals, each with its value. */
const values = [
  ['null', null],
  ['1', 1],
  [`'a'`, 'a'],
  [`'{}'`, '{}'],
  [`'[]'`, '[]'],
] as const

function literalFor(name: string, check: ColumnCheck): string {
  const found = values.find(([, value]) => check(value) === undefined)
  if (found === undefined) throw new Error(`No value fits ${name}: create such rows in test/areas.`)
  return found[0]
}

/**
 * Gives an account a row in each table that has none of it yet, by the declarations: a new area needs no rows in the functions that fill
 * an account.
 */
export async function fillByDeclaration(db: Database, database: DatabaseConfig, accountId: number): Promise<void> {
  const filled = await countAccountRows(db, accountId)
  for (const table of tableNames) {
    const { ownership, references, rule, hasGeneratedId } = tables[table]
    const isOfAccount = ownership.by === 'account' || ownership.by === 'parent'
    if (!isOfAccount || rule === undefined || table === 'account' || filled.has(table)) continue
    const given = Object.entries<ColumnCheck>(rule.columns).filter(([column]) => !(hasGeneratedId && column === 'id'))
    const literals = given.map(([column, check]) => {
      const target = references[column]
      if (target === 'account') return String(accountId)
      return target === undefined
        ? literalFor(`${table}.${column}`, check)
        : `(select min(id) from ${target} where account_id = ${String(accountId)})`
    })
    const columns = given.map(([column]) => column).join(', ')
    await runSql(database, `insert into ${table} (${columns}) values (${literals.join(', ')})`)
  }
}

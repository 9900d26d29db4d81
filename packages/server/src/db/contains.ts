import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from './dialect.js'

/**
 * Searches for a part of a text. The letters A to Z match in upper and lower case, other letters only as they are: SQLite knows upper and
 * lower case of ASCII only, so PostgreSQL compares in the same way, whatever its collation is.
 */

/** The parameters of `contains` and `startsFirst`: the text with A to Z in lower case, as it is and as a pattern of `like`. */
export interface Searched {
  readonly text: string
  readonly pattern: string
}

export function searched(given: string): Searched {
  const text = given.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  // `%`, `_` and the escape character match only themselves.
  return { text, pattern: `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` }
}

type Column = string | RawBuilder<unknown>

const valueOf = (column: Column) => (typeof column === 'string' ? sql.ref(column) : column)

/** The place of the text in a column, from 1 on; 0 if it is not in it. */
const placeIn = (column: Column, { text }: Searched, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<number>`strpos(lower(${valueOf(column)} collate "C"), cast(${text} as text))`
    : sql<number>`instr(lower(${valueOf(column)}), ${text})`

/**
 * Whether a column contains the text. It is computed for each row: bound the rows first. For 100,000 short names, SQLite needs 5 ms with
 * `like` and 10 with `instr`, PostgreSQL 36 with `strpos` and 120 with `like`.
 * @param column its name, or an expression
 */
export const contains = (column: Column, p: Searched, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<boolean>`${placeIn(column, p, dialect)} > 0`
    : sql<boolean>`${valueOf(column)} like ${p.pattern} escape '\\'`

/** For `order by`: the columns that begin with the text come first. */
export const startsFirst = (column: Column, p: Searched, dialect: Dialect) =>
  sql<number>`case ${placeIn(column, p, dialect)} when 1 then 0 else 1 end`

import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from './dialect.js'

/** Searches for a part of a text. The letters A to Z match in upper and lower case, other letters only as they are. */

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** `%`, `_` and the escape character match only themselves. */
const escaped = (text: string): string => lowerAscii(text).replaceAll(/[\\%_]/g, String.raw`\$&`)

export interface TextPatterns {
  /** Of the texts that contain the searched text. */
  readonly pattern: string
  /** Of those that begin with it. */
  readonly start: string
}

export const patternsOf = (text: string): TextPatterns => ({
  pattern: `%${escaped(text)}%`,
  start: `${escaped(text)}%`,
})

/**
 * Whether a text fits a pattern. It is computed for each row: bound the rows first.
 * SQLite knows upper and lower case of ASCII only, so PostgreSQL compares in the same way, whatever its collation is.
 * @param text the name of a column, or an expression
 */
export function fitsPattern(text: string | RawBuilder<unknown>, pattern: string, dialect: Dialect) {
  const value = typeof text === 'string' ? sql.ref(text) : text
  return dialect === 'postgres'
    ? sql<boolean>`lower(${value} collate "C") like cast(${pattern} as text) escape '\\'`
    : sql<boolean>`${value} like ${pattern} escape '\\'`
}

/** For `order by`: the texts that begin with the searched text come first. */
export const startsFirst = (text: string, start: string, dialect: Dialect) =>
  sql<number>`case when ${fitsPattern(text, start, dialect)} then 0 else 1 end`

import { sql, type Expression } from 'kysely'
import type { Dialect } from './dialect.js'

/** The items of a JSON array of texts as a subquery, for `in`: one parameter for lists of any length. */
export const textList = (json: string, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<string>`(select value from json_array_elements_text(cast(${json} as json)))`
    : sql<string>`(select value from json_each(${json}))`

/** The items of a JSON array of whole numbers as a subquery, for `in`. */
export const numberList = (json: string, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<number>`(select cast(value as bigint) from json_array_elements_text(cast(${json} as json)))`
    : sql<number>`(select value from json_each(${json}))`

/** The items of a JSON array of bytes in hexadecimal as a subquery, for `in`. */
const bytesList = (json: string, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<Uint8Array>`(select decode(value, 'hex') from json_array_elements_text(cast(${json} as json)))`
    : sql<Uint8Array>`(select unhex(value) from json_each(${json}))`

/**
 * Whether a column is in the only column of a subquery. PostgreSQL looks up the items of an array in an index. Without an
 * array it joins the subquery, and may read the whole table or all rows of an account.
 */
export const isIn = (column: string, subquery: Expression<unknown>, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<boolean>`${sql.ref(column)} = any (array ${subquery})`
    : sql<boolean>`${sql.ref(column)} in ${subquery}`

/** Whether a column is one of the texts of a JSON array. */
export const isInTexts = (column: string, json: string, dialect: Dialect) =>
  isIn(column, textList(json, dialect), dialect)

/** Whether a column is one of the whole numbers of a JSON array. */
export const isInNumbers = (column: string, json: string, dialect: Dialect) =>
  isIn(column, numberList(json, dialect), dialect)

/** Whether a column is one of the bytes of a JSON array of hexadecimal texts. */
export const isInBytes = (column: string, json: string, dialect: Dialect) =>
  isIn(column, bytesList(json, dialect), dialect)

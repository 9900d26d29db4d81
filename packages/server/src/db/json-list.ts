import { sql } from 'kysely'
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

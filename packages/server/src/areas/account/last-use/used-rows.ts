import { sql } from 'kysely'
import type { Dialect } from '../../../db/port.js'

/**
 * The used rows as a table `uses (id, at)`. On PostgreSQL it omits rows that another transaction has locked, because that
 * transaction deletes them or saves a use of the same half minute. Waiting could cause a deadlock with a process that saves
 * the same uses or ends the sessions of an account.
 * @param json of `Uses`
 */
export const usedRows = (table: 'token' | 'session', json: string, dialect: Dialect) =>
  (dialect === 'postgres'
    ? sql<{ id: number; at: number }>`(
        select id, cast(used.value ->> 1 as bigint) as at
        from json_array_elements(cast(${json} as json)) as used
        join ${sql.table(table)} on id = cast(used.value ->> 0 as bigint)
        order by id for update of ${sql.table(table)} skip locked
      )`
    : sql<{ id: number; at: number }>`(select value ->> 0 as id, value ->> 1 as at from json_each(${json}))`
  ).as<'uses'>(sql.ref('uses'))

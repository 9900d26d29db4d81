import { sql } from 'kysely'
import type { TableName } from '../../db/account-tables.js'
import { isInBytes, isInTexts, textList } from '../../db/json-list.js'
import type { Reader } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'

/** Which of the values that are unique in an installation are taken. Operator store: it looks among the rows of all accounts. */

/** Served by the unique index of the column. @param where a condition besides, for an index of two columns */
const taken = (table: TableName, column: string, isBytes = false, where = sql<boolean>`true`) =>
  prepared((db, p: { values: string }, dialect) => ({
    compile: () =>
      sql<{ value: string | Buffer }>`select ${sql.ref(column)} as value from ${sql.table(table)}
        where ${isBytes ? isInBytes(column, p.values, dialect) : isInTexts(column, p.values, dialect)} and ${where}`.compile(
        db,
      ),
  }))

/** Also those of deleted accounts. */
const packageSlugs = prepared((db, p: { values: string }, dialect) => {
  const values = textList(p.values, dialect)
  return {
    compile: () =>
      sql<{ value: string | Buffer }>`select slug as value from package where slug in ${values}
        union select slug from package_slug_retired where slug in ${values}`.compile(db),
  }
})

const ofKind = (kind: string) => taken('deployment_slug', 'slug', false, sql`kind = ${sql.lit(kind)}`)

const queries = {
  token: taken('token', 'hash', true),
  sms_key: taken('sms_key', 'hash', true),
  domain_calendar: taken('domain_calendar', 'hash', true),
  file: taken('file', 'share_key'),
  site: taken('site', 'name'),
  site_domain: taken('site_domain', 'host'),
  package: packageSlugs,
  form: ofKind('form'),
  webhook: ofKind('webhook'),
  shortlink: ofKind('shortlink'),
}

export type UniqueKind = keyof typeof queries

const textOf = (value: string | Buffer): string => (typeof value === 'string' ? value : value.toString('hex'))

/** @param values texts; of bytes, hexadecimal digits @returns those of them that rows have */
export async function takenValues(
  reader: Reader,
  kind: UniqueKind,
  values: readonly string[],
): Promise<ReadonlySet<string>> {
  if (values.length === 0) return new Set()
  const rows = await reader.all(queries[kind], { values: JSON.stringify(values) })
  return new Set(rows.map(({ value }) => textOf(value)))
}

import type { OrderByItemBuilder } from 'kysely'

/** The SQL dialects that svc writes. */
export type Dialect = 'sqlite' | 'postgres'

/** For `orderBy`: sorts texts by their bytes, as SQLite does. The collation of a PostgreSQL database may be that of a language. */
export const byBytes = (dialect: Dialect) => (item: OrderByItemBuilder) =>
  dialect === 'postgres' ? item.collate('C') : item

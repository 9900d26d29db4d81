import { randomBytes } from 'node:crypto'
import { sql, type Kysely } from 'kysely'

/** The random id of this installation, in one row. It marks the zones that svc creates in an external provider. */
export async function installation(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('installation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .execute()
  await sql`insert into installation (id) values (${randomBytes(8).toString('hex')})`.execute(db)
}

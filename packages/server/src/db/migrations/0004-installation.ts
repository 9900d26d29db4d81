import { randomBytes } from 'node:crypto'
import { sql, type Kysely } from 'kysely'

/** One row: which installation of svc this is. It marks the zones that svc makes in an external provider. */
export async function installation(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('installation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .execute()
  await sql`insert into installation (id) values (${randomBytes(8).toString('hex')})`.execute(db)
}

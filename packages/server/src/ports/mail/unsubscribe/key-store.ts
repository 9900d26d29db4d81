import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'

/** The key of the links that switch off e-mails: one for all processes on the database, made by the first that needs it. */

const rowId = 1

const select = prepared((db, _: object) => db.selectFrom('mail_key').where('id', '=', rowId).select('secret'))

const insert = prepared((db, p: { secret: Buffer }) =>
  db
    .insertInto('mail_key')
    .values({ id: rowId, secret: p.secret })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

const addMailKey = unit(import.meta, 'addMailKey', async (tx, secret: Uint8Array) => {
  tx.send(insert, { secret: Buffer.from(secret) })
})

/** @param random makes the key if there is none @returns the key, which other processes use too */
export async function mailKey(db: Database, random: () => Buffer): Promise<Buffer> {
  const found = await db.one(select, {})
  if (found !== undefined) return Buffer.from(found.secret)
  await db.write(addMailKey, random())
  // Another process may have made it meanwhile.
  const made = await db.one(select, {})
  if (made === undefined) throw new Error('The key of the links in e-mails is missing.')
  return Buffer.from(made.secret)
}

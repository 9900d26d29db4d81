import type { Reader } from './port.js'
import { prepared } from './prepared.js'

const installation = prepared((db, _: object) => db.selectFrom('installation').select('id'))

/** The id of this installation: 16 hexadecimal digits, the same for all processes on one database. */
export async function installationId(reader: Reader): Promise<string> {
  const row = await reader.one(installation, {})
  if (row === undefined) throw new Error('The table installation has no row: the database was changed by hand.')
  return row.id
}

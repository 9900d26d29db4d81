import type { Reader } from './port.js'
import { prepared } from './prepared.js'
import { unfinishedLoad } from './unfinished-load.js'

const installation = prepared((db, _: object) => db.selectFrom('installation').select('id'))

/** The id of this installation: 16 hexadecimal digits, the same for all processes on one database. @throws OperatorError if it has none */
export async function installationId(reader: Reader): Promise<string> {
  const row = await reader.one(installation, {})
  if (row === undefined) throw unfinishedLoad()
  return row.id
}

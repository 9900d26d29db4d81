import type { Reader } from './port.js'
import { prepared } from './prepared.js'
import { movedAway, unfinishedLoad } from './unusable-database.js'

const installation = prepared((db, _: object) => db.selectFrom('installation').select('id'))

const movedTo = prepared((db, _: object) => db.selectFrom('installation').select('moved_to as url'))

/** The id of this installation: 16 hexadecimal digits, the same for all processes on one database. @throws OperatorError if it has none */
export async function installationId(reader: Reader): Promise<string> {
  const row = await reader.one(installation, {})
  if (row === undefined) throw unfinishedLoad()
  return row.id
}

/** @throws OperatorError if the database was moved since it was opened */
export async function requireUnmoved(reader: Reader): Promise<void> {
  const url = (await reader.one(movedTo, {}))?.url ?? null
  if (url !== null) throw movedAway(url)
}

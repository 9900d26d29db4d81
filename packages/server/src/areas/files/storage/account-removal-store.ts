import { sql } from 'kysely'
import type { RemovePart, RemovedPart } from '../../../db/account-removal.js'
import { isInNumbers } from '../../../db/json-list.js'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { deleteBlobs } from '../../../ports/blobs/writer-store.js'
import { rememberPurge } from '../sharing/purge-store.js'
import { accountLockKey, lockUsage } from './usage-store.js'

/** Removes the files and uploads of an account that is being deleted. Operator store. */

/** How many files or uploads are removed at a time, and how many parts: one file may have 10,000. */
const [filesAtOnce, partsAtOnce] = [100, 1_000]

/** Served by file_by_account (account_id, id), and by the primary key of file_part. */
const someFiles = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('file')
    .where('account_id', '=', p.accountId)
    .select(['id', 'edge_version as edgeVersion'])
    .select(sql<number>`(select count(*) from file_part where file_part.file_id = file.id)`.as('parts'))
    .orderBy('id')
    .limit(filesAtOnce),
)

/** Served by upload_by_account, and by the primary key of upload_part. */
const someUploads = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('upload')
    .where('account_id', '=', p.accountId)
    .select('id')
    .select(sql<number>`(select count(*) from upload_part where upload_part.upload_id = upload.id)`.as('parts'))
    .orderBy('id')
    .limit(filesAtOnce),
)

const removeUploadParts = prepared((db, p: { ids: string }, dialect) =>
  db
    .deleteFrom('upload_part')
    .where(isInNumbers('upload_id', p.ids, dialect))
    .returning('blob_key as key'),
)
const removeUploads = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('upload').where(isInNumbers('id', p.ids, dialect)),
)
const removeFileParts = prepared((db, p: { ids: string }, dialect) =>
  db
    .deleteFrom('file_part')
    .where(isInNumbers('file_id', p.ids, dialect))
    .returning('blob_key as key'),
)
const removeContents = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('file_content').where(isInNumbers('file_id', p.ids, dialect)),
)
const removeTraffic = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('file_traffic').where(isInNumbers('file_id', p.ids, dialect)),
)
const removeTrafficDays = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('file_traffic_day').where(isInNumbers('file_id', p.ids, dialect)),
)
const removeFiles = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('file').where(isInNumbers('id', p.ids, dialect)),
)
const removeAccountDays = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('account_traffic_day').where('account_id', '=', p.accountId),
)
const removeUse = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('storage_use').where('account_id', '=', p.accountId),
)

/** The first rows with so many parts together, at least one row. */
function firstOf<R extends { readonly parts: number }>(rows: readonly R[]): R[] {
  let parts = 0
  return rows.filter((row, index) => {
    parts += row.parts
    return index === 0 || parts <= partsAtOnce
  })
}

const idsOf = (rows: readonly { readonly id: number }[]): string => JSON.stringify(rows.map(({ id }) => id))

async function removeSomeUploads(tx: Transaction, rows: readonly { readonly id: number }[]): Promise<string[]> {
  const ids = idsOf(rows)
  const keys = (await tx.all(removeUploadParts, { ids })).map(({ key }) => key)
  tx.send(removeUploads, { ids })
  return keys
}

async function removeSomeFiles(
  tx: Transaction,
  rows: readonly { readonly id: number; readonly edgeVersion: number }[],
): Promise<string[]> {
  const ids = idsOf(rows)
  for (const { id, edgeVersion } of rows)
    if (edgeVersion > 0) rememberPurge(tx, { fileId: id, version: edgeVersion + 1 })
  tx.send(removeTraffic, { ids })
  tx.send(removeTrafficDays, { ids })
  const keys = (await tx.all(removeFileParts, { ids })).map(({ key }) => key)
  tx.send(removeContents, { ids })
  tx.send(removeFiles, { ids })
  return keys
}

const removePart = unit(
  import.meta,
  'removeFilesOfAccount',
  accountLockKey,
  async (tx, accountId: number): Promise<RemovedPart> => {
    await lockUsage(tx, accountId)
    const uploads = firstOf(await tx.all(someUploads, { accountId }))
    const files = uploads.length > 0 ? [] : firstOf(await tx.all(someFiles, { accountId }))
    const objects = [...(await removeSomeUploads(tx, uploads)), ...(await removeSomeFiles(tx, files))]
    deleteBlobs(tx, objects)
    const isDone = uploads.length + files.length === 0
    if (isDone) {
      tx.send(removeAccountDays, { accountId })
      tx.send(removeUse, { accountId })
    }
    return { isDone, objects }
  },
)

export const removeFilesPart: RemovePart = ({ db }, accountId) => db.write(removePart, accountId)

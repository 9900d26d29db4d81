import { badRequest } from '@svc/contract/errors'
import { fileNameMaxBytes } from '@svc/contract/limits'
import { bytes, count, flag, id, integer, nullable, sha256Text, text, time } from '../../db/columns.js'
import type { RowRule } from '../../db/row-rules.js'
import { writerOf } from '../../ports/blobs/port.js'
import { checkName } from './files/details.js'

const blobKey = text(64)
const day = integer(0, 400_000)

const blob: RowRule<'blob'> = {
  columns: { key: blobKey, size: count },
  check: ({ key }) => {
    if (writerOf(key) === undefined) throw badRequest('key', 'must be the key of an object')
  },
}

const file: RowRule<'file'> = {
  columns: {
    ...{ id, account_id: id, name: text(fileNameMaxBytes), media_type: text(255), size: count, sha256: sha256Text },
    ...{ share_key: nullable(text(22, /^[\w-]{22}$/)), edge_ttl: count, serving: flag, edge_version: count },
    ...{ created_at: time, updated_at: time },
  },
  request: ({ name, media_type }) => ({ operation: 'files.update', body: { id: 1, name, media_type } }),
  check: ({ name }) => void checkName(name),
}

const file_part: RowRule<'file_part'> = { columns: { file_id: id, start: count, blob_key: blobKey, size: count } }

/** More than the contents of a small file (`SVC_SMALL_FILE_BYTES`). */
const contentMaxBytes = 16 * 1024 * 1024

const file_content: RowRule<'file_content'> = { columns: { file_id: id, bytes: bytes(contentMaxBytes, 0) } }

const traffic = { requests: count, hits: count, misses: count, bytes_served: count }
const file_traffic: RowRule<'file_traffic'> = { columns: { file_id: id, ...traffic } }
const file_traffic_day: RowRule<'file_traffic_day'> = { columns: { file_id: id, day, ...traffic } }
const account_traffic_day: RowRule<'account_traffic_day'> = { columns: { account_id: id, day, ...traffic } }

const storage_use: RowRule<'storage_use'> = {
  columns: { account_id: id, files: count, shared: count, bytes: count, uploads: count, objects: count },
}

export const filesRowRules = {
  ...{ blob, file, file_part, file_content, file_traffic, file_traffic_day, account_traffic_day, storage_use },
}

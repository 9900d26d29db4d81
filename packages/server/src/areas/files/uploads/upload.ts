import { ApiError, badRequest } from '@svc/contract/errors'
import type { UploadTable } from '../../../db/tables.js'

/** A large upload in parts. */

/** How long an upload waits for its next part, in milliseconds. */
export const uploadLifetimeMs = 24 * 60 * 60 * 1000

export type UploadRow = Omit<UploadTable, 'id'> & { readonly id: number }

/** @param now milliseconds since the epoch @throws ApiError `not_found` for an upload that has expired */
export function requireUnexpired({ id, expires_at }: UploadRow, now: number): void {
  if (expires_at <= now)
    throw new ApiError('not_found', `The upload ${id} has expired: a day has passed since its last part. Start again.`)
}

/** @throws ApiError `bad_request` for a finished upload; `not_found` for an expired one */
export function requireOpen(row: UploadRow, now: number): void {
  if (row.file_id !== null)
    throw badRequest('upload_id', `names a finished upload (file ${row.file_id}): start another upload`)
  requireUnexpired(row, now)
}

import { badRequest } from '@svc/contract/errors'
import type { ByteLimits } from '../../../http/handler.js'
import { limitsOf } from '../../../shared/account-limits.js'
import type { Account } from '../../../shared/account.js'
import { readableBytes } from '../../../shared/readable-bytes.js'
import type { Usage } from './usage-store.js'

/** What an account may store. 0 for no limit. */
export interface StorageLimits {
  /** Bytes of all files and open uploads of an account. */
  readonly bytesMax: number
  /** Bytes of one file. */
  readonly fileBytesMax: number
  /** Open uploads of an account. */
  readonly uploadsMax: number
  /** Files of an account, where each part of a large upload counts as one: it is an object and a row. */
  readonly filesMax: number
}

/** The limits that apply to an account. */
export const storageLimitsOf = (account: Account, settings: StorageLimits): StorageLimits =>
  limitsOf(account, settings, {
    bytesMax: 'files_bytes',
    fileBytesMax: 'file_bytes',
    uploadsMax: 'uploads',
    filesMax: 'files',
  })

const orInfinity = (limit: number): number => (limit === 0 ? Infinity : limit)

const fullReason = (bytes: number, { bytesMax }: StorageLimits): string =>
  `the account uses ${readableBytes(bytes)} of ${readableBytes(bytesMax)}`

/** The field that an error names: the bytes, or their declared number. */
type SizeField = 'content' | 'size'

/** @param growth in bytes; negative for a smaller part in place of an earlier one @throws ApiError `bad_request` */
export function requireRoom(usage: Usage, growth: number, limits: StorageLimits, field: SizeField = 'content'): void {
  if (growth <= 0 || usage.bytes + growth <= orInfinity(limits.bytesMax)) return
  throw badRequest(
    field,
    `needs ${readableBytes(growth)}, but ${fullReason(usage.bytes, limits)}: delete files, or discard open uploads`,
  )
}

/** @throws ApiError `bad_request` for a file that is too large */
export function requireFileSize(size: number, { fileBytesMax }: StorageLimits, field: SizeField = 'content'): void {
  if (size > orInfinity(fileBytesMax))
    throw badRequest(field, `results in a file of ${readableBytes(size)}; the limit is ${readableBytes(fileBytesMax)}`)
}

/** @throws ApiError `bad_request` for an account that may open no further upload */
export function requireUpload({ uploads }: Usage, { uploadsMax }: StorageLimits): void {
  if (uploads >= orInfinity(uploadsMax))
    throw badRequest(
      'upload_id',
      `is required: the account has ${uploads} open uploads, and may have ${uploadsMax}. Discard one; they expire a day after their last part`,
    )
}

/** @throws ApiError `bad_request` for an account that may store no further file or part */
export function requireObject({ objects }: Usage, { filesMax }: StorageLimits): void {
  if (objects >= orInfinity(filesMax))
    throw badRequest(
      'content',
      `cannot be stored: the account has ${objects} files and parts of uploads, and may have ${filesMax}. Delete files, or discard open uploads`,
    )
}

/**
 * How many bytes the account may send, for a file or a part of it.
 * @param replaced the bytes of the part that the request replaces; undefined for a further file or part
 * @throws ApiError `bad_request` for an account that may store no further file or part
 */
export function byteLimits(usage: Usage, limits: StorageLimits, replaced?: number): ByteLimits {
  if (replaced === undefined) requireObject(usage, limits)
  return {
    request: {
      max: orInfinity(limits.fileBytesMax),
      reason: `content is too large: a file may have ${readableBytes(limits.fileBytesMax)}.`,
    },
    account: {
      max: Math.max(orInfinity(limits.bytesMax) - usage.bytes + (replaced ?? 0), 0),
      reason: (others) => {
        const ofOthers = others === 0 ? '' : `, including ${readableBytes(others)} of other running requests`
        return `content is too large: ${fullReason(usage.bytes + others, limits)}${ofOthers}.`
      },
    },
  }
}

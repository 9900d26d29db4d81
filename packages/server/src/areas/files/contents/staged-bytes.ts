import { ApiError } from '@svc/contract/errors'
import type { Staged } from '../../../http/staged.js'

/**
 * Commits rows that refer to stored bytes, and keeps the bytes. If the commit fails with an unknown outcome, the bytes stay
 * too: rows may refer to them. Otherwise the sweep of the blob store removes them.
 * @throws the error of `commit`
 */
export async function commitBytes<R>(bytes: Staged, commit: () => Promise<R>): Promise<R> {
  try {
    const committed = await commit()
    bytes.keep()
    return committed
  } catch (error) {
    // An area rejected the request in the transaction, so it was rolled back.
    if (!(error instanceof ApiError)) bytes.keep()
    throw error
  }
}

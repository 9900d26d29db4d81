import { ApiError } from '@svc/contract/errors'

/**
 * Ends long work whose answer no client reads. Call it before each part of the work.
 * @param hasLeft whether the client has left
 * @throws ApiError if the client has left
 */
export function requireClient(hasLeft: () => boolean): void {
  if (hasLeft()) throw new ApiError('bad_request', 'The client has left.')
}

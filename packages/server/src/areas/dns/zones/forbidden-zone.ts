import { ApiError } from '@svc/contract/errors'

/**
 * 403 for every zone that is not verified for the caller: of another account, pending or nonexistent (specification,
 * section 4.4, rule 2). All of them get the same body, so that it reveals nothing about other accounts.
 * @param zone the name in the path, normalised
 */
export const forbiddenZone = (zone: string) =>
  new ApiError('forbidden_zone', 'This zone is not verified for this account, or it does not exist.', { zone })

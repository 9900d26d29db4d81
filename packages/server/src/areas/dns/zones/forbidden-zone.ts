import { ApiError } from '@svc/contract/errors'

/**
 * 403 for every zone that is not verified for the caller: another account's, pending, or none at all (specification,
 * section 4.4, rule 2). One body for all of them, so that it tells nothing about other accounts.
 * @param zone as it is named in the path, normalised
 */
export const forbiddenZone = (zone: string) =>
  new ApiError('forbidden_zone', 'This zone is not verified for this account, or it does not exist.', { zone })

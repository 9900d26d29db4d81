import { ApiError } from '@svc/contract/errors'

/** 404 for an address without an enabled deployment. The same for all reasons, so that nothing tells them apart. */
export const notHere = () => new ApiError('not_found', 'There is nothing at this address.')

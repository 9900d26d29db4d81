import { ApiError } from '@svc/contract/errors'

/** 403 for a resource of another account (specification, section 1). */
export const notYours = (what: string) => new ApiError('forbidden', `This ${what} belongs to another account.`)

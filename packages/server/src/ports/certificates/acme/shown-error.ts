import { ApiError } from '@svc/contract/errors'
import { NotHere } from './blocked.js'
import { AcmeError } from './errors.js'
import { CannotProve } from './proof.js'

/** Those whose messages are sentences for users. Others can name files, addresses or tables of the server. */
const readable = [AcmeError, ApiError, CannotProve, NotHere]

/** Why an order failed, for the account that owns the certificate. The log has the error itself. */
export const shownError = (error: unknown): string =>
  readable.some((kind) => error instanceof kind) && error instanceof Error
    ? error.message
    : 'An error of this server ended the order: its log says which.'

import { ApiError } from '@svc/contract/errors'
import { RegistryError } from './port.js'

/** Messages of a RegistryError that several sources of data have. */
export const unusableAnswer = 'The answer of the registry cannot be used.'
export const longAnswer = 'The answer of the registry is too long.'
export const lateAnswer = 'The registry has not answered in time.'
export const unreachable = 'The registry cannot be reached.'
export const privateAddress = 'The registry leads to an address that is not public.'

/** The server cannot be reached, or refuses requests: further ones are useless for some seconds. The message has no address. */
export class RegistryUnavailable extends RegistryError {}

/** The server limits the number of requests. */
export class RegistryRateLimited extends RegistryUnavailable {
  constructor() {
    super('The registry limits the number of requests. Try again in a minute.')
  }
}

/** This process has too many look-ups: no server is to blame. */
export class RegistryBusy extends RegistryError {
  constructor() {
    super('Too many look-ups are running. Try again in a minute.')
  }
}

/** The error that a client gets: 502 for a RegistryError; other errors stay as they are. */
export const toUpstreamError = (error: unknown): unknown =>
  error instanceof RegistryError ? new ApiError('upstream_error', error.message) : error

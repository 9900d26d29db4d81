import { StorageError } from '../port.js'

const otherRegion = 'the bucket is in another region'
const noAnswer = 'the storage provider does not answer'
const refusesAccess = 'the storage provider refuses access'

/** The reason shown to the caller for a provider's error, by the code of the network or its own; the log has the rest. */
const reasons: Readonly<Record<string, string>> = {
  NoSuchKey: 'it does not exist',
  InvalidRange: 'it is shorter than it should be',
  NoSuchBucket: 'the bucket does not exist',
  AccessDenied: refusesAccess,
  InvalidAccessKeyId: refusesAccess,
  SignatureDoesNotMatch: refusesAccess,
  InvalidToken: refusesAccess,
  ExpiredToken: 'the credentials for the storage provider have expired',
  TokenRefreshRequired: 'the credentials for the storage provider have expired',
  RequestTimeTooSkewed: 'the clocks of the server and of the storage provider differ',
  CredentialsProviderError: 'the server has no credentials for the storage provider',
  QuotaExceeded: 'the storage provider is full',
  InternalError: 'the storage provider failed',
  SlowDown: 'the storage provider is overloaded',
  PermanentRedirect: otherRegion,
  TemporaryRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  IllegalLocationConstraintException: otherRegion,
  SilentProvider: noAnswer,
  TimeoutError: noAnswer,
  AbortError: noAnswer,
  ETIMEDOUT: noAnswer,
  ECONNREFUSED: 'the storage provider cannot be reached',
  ECONNRESET: 'the storage provider closed the connection',
  EPIPE: 'the storage provider closed the connection',
  ENOTFOUND: 'the storage provider cannot be reached',
  EAI_AGAIN: 'the storage provider cannot be reached',
  EHOSTUNREACH: 'the storage provider cannot be reached',
  ENETUNREACH: 'the storage provider cannot be reached',
}

/** Reasons of answers without a code, such as those to HEAD. */
const statusReasons: Readonly<Record<number, string>> = {
  301: otherRegion,
  307: otherRegion,
  401: refusesAccess,
  403: refusesAccess,
  404: 'it does not exist',
  503: 'the storage provider is overloaded',
  507: 'the storage provider is full',
}

/** The fields of the SDK's errors that are read here. */
interface ProviderError {
  readonly name?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** @returns a function that throws an error of the provider as a StorageError with this sentence and the reason */
export const rethrowAs =
  (problem: string) =>
  (error: unknown): never => {
    if (error instanceof StorageError) throw error
    const { name = '', code = '' } = error as ProviderError
    // The SDK gives every broken connection the name TimeoutError.
    const reason = reasons[code] ?? reasons[name] ?? statusReasons[statusOf(error)] ?? 'the storage provider failed'
    throw new StorageError(`${problem}: ${reason}.`, { cause: error })
  }

export const isMissing = (error: unknown): boolean => statusOf(error) === 404

/** The HTTP status of a provider's answer; 0 for an error without one. */
export const statusOf = (error: unknown): number => (error as ProviderError).$metadata?.httpStatusCode ?? 0

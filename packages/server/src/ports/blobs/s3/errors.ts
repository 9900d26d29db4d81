import { StorageError } from '../port.js'

/** What the caller reads of a provider's error, by its code or the code of the network; the log has the rest. */
const reasons: Readonly<Record<string, string>> = {
  NoSuchKey: 'it does not exist',
  InvalidRange: 'it is shorter than it should be',
  NoSuchBucket: 'the bucket does not exist',
  AccessDenied: 'the storage provider refuses access',
  InvalidAccessKeyId: 'the storage provider refuses access',
  SignatureDoesNotMatch: 'the storage provider refuses access',
  CredentialsProviderError: 'the server has no credentials for the storage provider',
  QuotaExceeded: 'the storage provider is full',
  SlowDown: 'the storage provider is overloaded',
  TimeoutError: 'the storage provider does not answer',
  AbortError: 'the storage provider does not answer',
  ECONNREFUSED: 'the storage provider cannot be reached',
  ECONNRESET: 'the storage provider closed the connection',
  ENOTFOUND: 'the storage provider cannot be reached',
  EAI_AGAIN: 'the storage provider cannot be reached',
  EHOSTUNREACH: 'the storage provider cannot be reached',
  ENETUNREACH: 'the storage provider cannot be reached',
}

/** Reasons of answers without a code, such as those to HEAD. */
const statusReasons: Readonly<Record<number, string>> = {
  401: 'the storage provider refuses access',
  403: 'the storage provider refuses access',
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
    const reason = reasons[name] ?? reasons[code] ?? statusReasons[statusOf(error)] ?? 'the storage provider failed'
    throw new StorageError(`${problem}: ${reason}.`, { cause: error })
  }

export const isMissing = (error: unknown): boolean => statusOf(error) === 404

/** The HTTP status of a provider's answer; 0 for an error without one. */
export const statusOf = (error: unknown): number => (error as ProviderError).$metadata?.httpStatusCode ?? 0

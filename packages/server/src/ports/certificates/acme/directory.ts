import { parseUrl } from '../../../shared/parse-url.js'
import { AcmeError, fieldsOf } from './errors.js'

/** The URLs and the terms of a CA (RFC 8555, section 7.1.1). */
export interface Directory {
  readonly newNonce: URL
  readonly newAccount: URL
  readonly newOrder: URL
  /** Undefined if the CA has no renewal information (RFC 9773). */
  readonly renewalInfo: URL | undefined
  readonly externalAccountRequired: boolean
  /** The names of the profiles (draft-ietf-acme-profiles). */
  readonly profiles: readonly string[]
}

/** @throws AcmeError `unusable_answer` for a document without the required URLs */
export function readDirectory(document: unknown): Directory {
  const { newNonce, newAccount, newOrder, renewalInfo, meta } = fieldsOf(document)
  const { externalAccountRequired, profiles } = fieldsOf(meta)
  return {
    newNonce: requireUrl('newNonce', newNonce),
    newAccount: requireUrl('newAccount', newAccount),
    newOrder: requireUrl('newOrder', newOrder),
    renewalInfo: renewalInfo === undefined ? undefined : requireUrl('renewalInfo', renewalInfo),
    externalAccountRequired: externalAccountRequired === true,
    profiles: Object.keys(fieldsOf(profiles)),
  }
}

/** @throws AcmeError `unusable_answer` for a value that is not an absolute URL of HTTP */
export function requireUrl(field: string, value: unknown): URL {
  const url = typeof value === 'string' ? parseUrl(value) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new AcmeError('unusable_answer', `The answer of the CA has no URL in ${field}.`)
}

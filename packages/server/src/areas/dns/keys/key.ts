import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import type { SecretIdentity } from '../../../shared/secret-identity.js'

/** Keys of the operator that sign DNS messages: they may transfer every zone and the catalog, and never update. */

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Names of the keys of accounts, of this installation and of others. */
const ofAccount = /^\d+\.[0-9a-f]{16}\.key$/

/** Whether a name has the form of the keys of accounts, which no key of the operator has. */
export const isAccountKeyName = (name: string): boolean => ofAccount.test(name)

/** @returns the name of a key in lower case, without the last dot @throws ApiError `bad_request` */
export function checkKeyName(given: string): string {
  const name = given.trim().toLowerCase().replace(/\.$/, '')
  const isName = name.length > 0 && name.length <= 253 && name.split('.').every((part) => label.test(part))
  if (!isName) throw badRequest('name', `must be a DNS name such as ns2 or ns2.example.net, not ${quoted(given)}`)
  if (isAccountKeyName(name)) throw badRequest('name', `must not have the form of the keys of accounts, as ${name} has`)
  return name
}

export const dnsKeyIdentity = (name: string): SecretIdentity => ['dns_key', 0, name]

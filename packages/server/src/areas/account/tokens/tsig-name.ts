import { sql } from 'kysely'
import type { SecretIdentity } from '../../../shared/secret-identity.js'

/** Keys that sign DNS messages are tokens: their names have the id of the token and of the installation, so no two keys have one name. */

/** The name of the key as a column; null for a Bearer token. Reads the only row of `installation`. */
export const tsigName = sql<string | null>`case when token.tsig_algorithm is null then null
  else cast(token.id as text) || '.' || (select installation.id from installation) || '.key' end`.as('tsig_name')

/** The id of the token whose key has a name. @param name in lower case @returns undefined for a name of another form or installation */
export function tokenOfKey(name: string, installation: string): number | undefined {
  const [, id, of] = /^([1-9]\d{0,14})\.([0-9a-f]{16})\.key$/.exec(name) ?? []
  return of === installation ? Number(id) : undefined
}

/** @param hash of the token: its id is not known before it is stored */
export const tsigIdentity = (accountId: number, hash: Uint8Array): SecretIdentity => [
  'token',
  accountId,
  Buffer.from(hash).toString('hex'),
]

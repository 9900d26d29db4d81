import type { SecretIdentity } from '../../ports/vault/port.js'
import type { Account } from '../../shared/account.js'
import { timestamp } from '../../shared/timestamp.js'
import type { Credential, CredentialName } from './store.js'

/** A credential with its secret; null for one that does not decrypt. */
export interface OpenCredential extends Credential {
  readonly secret: string | null
}

/** The identity that is authenticated with a credential's secret. */
export const identityOf = ({ id }: Pick<Account, 'id'>, { platform, label }: CredentialName): SecretIdentity => [
  'credential',
  id,
  platform,
  label,
]

/** A credential in the API's answers. */
export const credentialToJson = (credential: OpenCredential) => ({
  id: credential.id,
  platform: credential.platform,
  label: credential.label,
  username: credential.username,
  secret: credential.secret,
  created_at: timestamp(credential.createdAt),
  updated_at: timestamp(credential.updatedAt),
})

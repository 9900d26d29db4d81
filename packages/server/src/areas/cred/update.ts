import type { Areas, Input } from '@svc/contract'
import { badRequest, badRequestSentence } from '@svc/contract/errors'
import type { Vault } from '../../ports/vault/port.js'
import type { Account } from '../../shared/account.js'
import { requireAllowed } from '../../shared/rules.js'
import { identityOf, type OpenCredential } from './credential.js'
import { changedMeanwhile, type CredentialStore } from './store.js'

interface UpdateDependencies {
  readonly credentials: Pick<CredentialStore, 'get' | 'update'>
  readonly vault: Vault
}

/** How often an update begins again because another request has changed the credential. */
const attemptsMax = 3

/**
 * Changes the given fields of a credential. The name is authenticated with the secret, so the secret is encrypted again.
 * @throws ApiError `not_found`, `forbidden`; `bad_request` for the name of another credential
 */
export async function updateCredential(
  { credentials, vault }: UpdateDependencies,
  account: Account,
  { id, ...given }: Input<Areas['cred']['update']>['body'],
): Promise<OpenCredential> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const before = await credentials.get(account, id)
    const { platform = before.platform, label = before.label, username = before.username } = given
    const after = { platform, label, username }
    for (const name of [before.platform, platform])
      requireAllowed(account.rules, { kind: 'credential', name, access: 'write' })
    const [stored] =
      given.secret === undefined
        ? await vault.openAll([{ sealed: before.sealed, identity: identityOf(account, before) }])
        : []
    const secret = given.secret ?? stored
    if (secret === undefined) throw badRequest('secret', 'is required, because the stored one is damaged')
    const updated = await vault.seal(secret, identityOf(account, after), (sealed) =>
      credentials.update(account, { before, after, sealed, isNewSecret: given.secret !== undefined }),
    )
    if (updated !== changedMeanwhile) return { ...updated, secret }
  }
  throw badRequestSentence('id', 'Other requests change this credential at the same time: repeat the request')
}

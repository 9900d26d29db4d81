import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import { longList } from '../../http/answer.js'
import type { Area } from '../../http/area.js'
import { readJournal } from '../../journal/read-journal.js'
import type { Vault } from '../../ports/vault/port.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { credentialToJson, identityOf } from './credential.js'
import { credentialListStore } from './list-store.js'
import { credentialReader } from './reader.js'
import { credentialSearch } from './search-store.js'
import { credentialStore } from './store.js'
import { updateCredential } from './update.js'

interface CredentialDependencies {
  readonly database: Database
  readonly vault: Vault
  readonly log: Logger
  /** The most credentials of an account. */
  readonly max: number
}

/** Credentials, encrypted in the database (specification, section 4.5). */
export function credentialArea({ database, vault, log, max }: CredentialDependencies): Area<'cred'> {
  const credentials = credentialStore(database, max)
  const lists = credentialListStore(database)
  const read = credentialReader({ credentials: lists, journal: readJournal(database), vault, log })
  return {
    handlers: {
      list: ({ query: { platform } }, { account }) => {
        // PostgreSQL refuses a query with U+0000.
        refuseInvisible('platform', platform ?? '')
        return longList('{"credentials":[', read(account, platform), (credential) =>
          JSON.stringify(credentialToJson(credential)),
        )
      },

      async store({ body: { platform, label = '', username = null, secret } }, { account }) {
        const given = { platform, label, username }
        for (const [field, text] of Object.entries(given)) refuseInvisible(field, text ?? '')
        const stored = await vault.seal(secret, identityOf(account, given), (sealed) =>
          credentials.store(account, given, sealed),
        )
        return credentialToJson({ ...stored, secret })
      },
      async update({ body }, { account }) {
        for (const field of ['platform', 'label', 'username'] as const) refuseInvisible(field, body[field] ?? '')
        return credentialToJson(await updateCredential({ credentials, vault }, account, body))
      },
      async delete({ body: { id } }, { account }) {
        await credentials.remove(account, id)
        return { id, deleted: true }
      },
    },
    search: credentialSearch(database),
    thingNames: { id: (account, given) => credentials.platformOf(account, Number(given)) },
  }
}

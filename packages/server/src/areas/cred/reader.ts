import type { Logger } from 'pino'
import type { ReadJournal } from '../../journal/read-journal.js'
import type { Vault } from '../../ports/vault/port.js'
import type { Account } from '../../shared/account.js'
import { countFitting } from '../../shared/page.js'
import { turns } from '../../shared/turns.js'
import { identityOf, type OpenCredential } from './credential.js'
import type { CredentialListStore, ListedCredential } from './list-store.js'

/**
 * The most that is read, or decrypted and formatted, in one turn of the event loop: about two milliseconds. A secret of 64 KiB, which is
 * alone in its turn, takes up to five.
 */
const [bytesInTurn, credentialsInTurn] = [64 * 1024, 100]

interface ReaderDependencies {
  readonly credentials: CredentialListStore
  readonly journal: ReadJournal
  readonly vault: Vault
  readonly log: Logger
}

/** Reads the credentials of an account in batches, so that the memory does not depend on how many there are. */
export function credentialReader({ credentials, journal, vault, log }: ReaderDependencies) {
  const oneEachTurn = turns()
  async function open(account: Account, batch: readonly ListedCredential[]): Promise<OpenCredential[]> {
    const rows = await oneEachTurn(() => credentials.read(account, batch))
    const entries = rows.map((row) => ({ sealed: row.sealed, identity: identityOf(account, row) }))
    const secrets = await oneEachTurn(() => vault.openAll(entries))
    const damaged = rows.filter((_, i) => secrets[i] === undefined).map(({ id }) => id)
    if (damaged.length > 0)
      log.error(
        { account_id: account.id, credentials: damaged },
        'stored credentials do not decrypt: they were changed',
      )
    return rows.map((row, i) => ({ ...row, secret: secrets[i] ?? null }))
  }
  /** @param object empty for all platforms */
  const note = ({ id: accountId, actor }: Account, object: string, listed: readonly ListedCredential[]) => {
    const state = String(listed.reduce((newest, { updatedAt }) => Math.max(newest, updatedAt), 0))
    const after = { count: listed.length }
    return journal.note({ accountId, actor, area: 'cred', action: 'credential_read', object, after, state })
  }
  return async function* (account: Account, platform: string | undefined): AsyncGenerator<OpenCredential[]> {
    const listed = await oneEachTurn(() => credentials.list(account, platform))
    if (listed.length > 0) await note(account, platform ?? '', listed)
    for (let start = 0, end; start < listed.length; start = end) {
      end = start + countFitting(listed.slice(start, start + credentialsInTurn), bytesInTurn)
      yield await open(account, listed.slice(start, end))
    }
  }
}

import { sql } from 'kysely'
import { isInTexts, numberList } from '../../db/json-list.js'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import type { Account } from '../../shared/account.js'
import { allows, readableNames } from '../../shared/rules.js'
import { credentialColumns, type SealedCredential } from './store.js'

/** A credential that is going to be read. */
export interface ListedCredential {
  readonly id: number
  /** Of the encrypted secret, in bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
}

const listedColumns = ['id', sql<number>`octet_length(sealed)`.as('size'), 'updated_at as updatedAt'] as const

/** Served by credential_name (account_id, platform, label). The size is read without the secret. */
const listed = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('credential')
    .where('account_id', '=', p.accountId)
    .select(listedColumns)
    .orderBy('platform')
    .orderBy('label'),
)

/** The same of one platform's credentials. Served by credential_name. */
const listedOfPlatform = prepared((db, p: { accountId: number; platform: string }) =>
  db
    .selectFrom('credential')
    .where('account_id', '=', p.accountId)
    .where('platform', '=', p.platform)
    .select(listedColumns)
    .orderBy('label'),
)

/** The same of the credentials of some platforms. Served by credential_name. @param p.platforms JSON array */
const listedOfPlatforms = prepared((db, p: { accountId: number; platforms: string }, dialect) =>
  db
    .selectFrom('credential')
    .where('account_id', '=', p.accountId)
    .where(isInTexts('platform', p.platforms, dialect))
    .select(listedColumns)
    .orderBy('platform')
    .orderBy('label'),
)

/** Served by credential_name: reads all credentials of the account, which are limited. @param p.ids JSON array */
const byIds = prepared((db, p: { accountId: number; ids: string }, dialect) =>
  db
    .selectFrom('credential')
    .where('id', 'in', numberList(p.ids, dialect))
    .where('account_id', '=', p.accountId)
    .select([...credentialColumns, 'sealed'])
    .orderBy('platform')
    .orderBy('label'),
)

export type CredentialListStore = ReturnType<typeof credentialListStore>

/** Reads the credentials of an account, whose secrets are encrypted. */
export const credentialListStore = (db: Database) => ({
  /** Those that the caller may read, sorted by platform and label. @param platform undefined for all platforms */
  list: async ({ id: accountId, rules }: Account, platform: string | undefined): Promise<ListedCredential[]> => {
    const names = readableNames(rules, 'credential')
    if (platform !== undefined)
      return names?.includes(platform) === false ? [] : db.all(listedOfPlatform, { accountId, platform })
    return names === undefined
      ? db.all(listed, { accountId })
      : db.all(listedOfPlatforms, { accountId, platforms: JSON.stringify(names) })
  },

  /** Those of the account that still exist, sorted by platform and label. @param listed of `list` */
  read: async ({ id: accountId, rules }: Account, listed: readonly ListedCredential[]): Promise<SealedCredential[]> => {
    const rows = await db.all(byIds, { accountId, ids: JSON.stringify(listed.map(({ id }) => id)) })
    // A platform may have changed since the list was read.
    return rows.filter(({ platform: name }) => allows(rules, { kind: 'credential', name, access: 'read' }))
  },
})

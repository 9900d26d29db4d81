import type { Generated } from 'kysely'
import { bytes, id, keyId, nullable, text, time } from '../../db/columns.js'
import { ofAccount, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import type { SealedColumns } from '../../db/vault-tables.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { identityOf } from './credential.js'

declare module '../../db/tables.js' {
  interface Tables {
    credential: CredentialTable
  }
}

/** A credential of an account. Platform and label are unique in the account. */
interface CredentialTable extends Omit<SealedColumns, 'id'> {
  id: Generated<number>
  account_id: number
  platform: string
  /** Empty if not set. */
  label: string
  username: string | null
  created_at: number
  updated_at: number
}

/** The bytes of an envelope around the longest secret: 65,536 characters, in UTF-8. */
const sealedMaxBytes = 300_000

const credential: RowRule<'credential'> = {
  columns: {
    id,
    account_id: id,
    platform: text(128 * 2),
    label: text(128 * 2),
    username: nullable(text(256 * 2)),
    master_key_id: keyId,
    sealed: bytes(sealedMaxBytes, 1),
    created_at: time,
    updated_at: time,
  },
  request: ({ platform, label, username }) => ({
    operation: 'cred.store',
    // The secret is checked where it is decrypted.
    body: { platform, label, ...(username !== null && { username }), secret: '-' },
  }),
  check: ({ platform, label, username }) => {
    for (const [field, given] of Object.entries({ platform, label, username })) refuseInvisible(field, given ?? '')
  },
}

export const credentialTables = {
  tables: {
    credential: { ...ofAccount, hasGeneratedId: true, rule: credential, sealed: (id, row) => identityOf({ id }, row) },
  },
} satisfies AreaTables

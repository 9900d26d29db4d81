import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '@svc/contract/errors'
import { tokenUnusedDaysMax, tsigAlgorithms, type TsigAlgorithm } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { bytes, flag, id, integer, json, keyId, nullable, oneOf, text, time } from '../../db/columns.js'
import { ofAccount, ofInstallation, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import { leftOutIfTaken } from '../../db/unique-column.js'
import { isLimits } from '../../shared/account-limits.js'
import { accountStates, type AccountState } from '../../shared/account-state.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { normalEmail } from './accounts/email.js'
import { checkNickname } from './accounts/nickname.js'
import { isPasswordHash } from './accounts/password-hash.js'
import { endSetupCodes } from './first-run/store.js'
import { planNameForm, planNameMaxLength } from './accounts/plan-name.js'
import { checkNetworks } from './tokens/limits.js'
import { isRules } from './tokens/stored-rules.js'
import { tsigIdentity } from './tokens/tsig-name.js'
import { webhookTables } from './webhooks/tables.js'
import { beginImportedWebhooks } from './webhooks/webhook-store.js'

declare module '../../db/tables.js' {
  interface Tables {
    account: AccountTable
    token: TokenTable
    session: SessionTable
    account_plan: AccountPlanTable
    sign_in_failure: SignInFailureTable
    setup_code: SetupCodeTable
    password_reset: PasswordResetTable
  }
}

/** An account: it signs in, and owns tokens, sessions and claims. */
interface AccountTable {
  id: Generated<number>
  /** Lower case; unique. */
  email: string
  /** Empty if not set. */
  nickname: string
  /** argon2id in PHC string form. */
  password_hash: string
  created_at: number
  state: Generated<AccountState>
  /** JSON of the limits that the operator has set for this account alone, by the names of `limitNames`. */
  limits: Generated<string>
  /** The name of its plan, or null. */
  plan: string | null
}

/** Limits under a name, which the operator gives to accounts. */
interface AccountPlanTable {
  name: string
  /** As those of an account. */
  limits: string
  created_at: number
}

/** A Bearer token. Only the SHA-256 of its value is stored. */
interface TokenTable {
  id: Generated<number>
  account_id: number
  /** Unique in the account. */
  name: string
  /** The first characters of the value, to tell tokens apart. */
  prefix: string
  hash: Uint8Array
  /** Scopes joined by spaces (RFC 6749, 3.3). */
  scopes: string
  created_at: number
  last_used_at: number | null
  /** Of the client that used it last: `192.0.2.0/24`. Null before the first use, and for a use before this was stored. */
  last_used_network: string | null
  /** When the last event of a new network was written; null without one. */
  network_noted_at: number | null
  /** Null for no end. */
  expires_at: number | null
  /** The token ends after so many days without a use; null for no such end. */
  unused_days: number | null
  /** JSON array of networks in CIDR notation; empty for every network. */
  networks: Generated<string>
  /** 1 for a token that does not work for now, otherwise 0. */
  paused: Generated<number>
  /** The hash of the value before the last rotation, which works until `former_until`; both are null if it ended at once. */
  former_hash: Uint8Array | null
  former_until: number | null
  /** The SHA-256 of its update key; null for a token without one. */
  update_hash: Uint8Array | null
  /** As `former_hash`. */
  former_update_hash: Uint8Array | null
  /** JSON array of rules; null for a token without rules. */
  rules: string | null
  /** Of a key that signs DNS messages; null for a Bearer token. The hash of such a key is random: it has no value. */
  tsig_algorithm: TsigAlgorithm | null
  /** The master key of `sealed` (see `SealedColumns`); null for a Bearer token. */
  master_key_id: string | null
  /** The secret of a key that signs DNS messages, in Base64. */
  sealed: Buffer | null
}

/** A browser session. Only the SHA-256 of its cookie is stored. */
interface SessionTable {
  id: Generated<number>
  account_id: number
  hash: Uint8Array
  ip: string
  user_agent: string
  created_at: number
  last_seen_at: number
  /** When the password was last entered in it; 0 for a session that began before this was stored. */
  password_at: Generated<number>
}

/** Consecutive failed sign-ins by email and network, also for an email without an account. */
interface SignInFailureTable {
  /** SHA-256 of the email, the network, or both: the table discloses no addresses, and its keys have one size. */
  key: Uint8Array
  /** SHA-256 of the email that the counter delays; null for a counter of a network alone. */
  email: Uint8Array | null
  failures: number
  /** For the time before, failures have been forgiven. */
  forgiven_until: number
  /** Attempts before this time are rejected without a check of the password. */
  blocked_until: number
}

/** The code of `svc setup-code`. The table has at most one row. */
interface SetupCodeTable {
  id: number
  /** Counts the codes and the new accounts: each of them ends all codes before it. */
  version: number
  /** SHA-256 of the code without its hyphen; null since there is an account. */
  hash: Uint8Array | null
}

/** A link in an e-mail that sets a new password. Only the SHA-256 of its token is stored. */
interface PasswordResetTable {
  hash: Uint8Array
  account_id: number
  expires_at: number
}

const account: RowRule<'account'> = {
  columns: {
    id,
    email: text(254),
    nickname: text(64 * 2),
    password_hash: text(256),
    created_at: time,
    state: oneOf(accountStates),
    limits: json(2_000, isLimits),
    plan: nullable(text(planNameMaxLength, planNameForm)),
  },
  check: ({ email, nickname, password_hash: hash }) => {
    if (normalEmail(email) !== email) throw badRequest('email', 'must be in lower case, without spaces at its ends')
    if (checkNickname(nickname, 'nickname') !== nickname) throw badRequest('nickname', 'has spaces at its ends')
    if (!isPasswordHash(hash))
      throw badRequest('password_hash', 'must be a hash of argon2id with at most 64 MiB, 4 passes and 4 lanes')
  },
}

const isNetworks = (value: unknown): boolean =>
  Array.isArray(value) && isDeepStrictEqual(checkNetworks(value.map(String)), value)

const token: RowRule<'token'> = {
  columns: {
    id,
    account_id: id,
    name: text(64 * 2),
    prefix: text(16, /^(svc_[0-9a-f]+|tsig)$/),
    hash: bytes(32),
    scopes: text(1000),
    created_at: time,
    last_used_at: nullable(time),
    last_used_network: nullable(text(64)),
    network_noted_at: nullable(time),
    expires_at: nullable(time),
    unused_days: nullable(integer(1, tokenUnusedDaysMax)),
    networks: json(10_000, isNetworks),
    paused: flag,
    former_hash: nullable(bytes(32)),
    former_until: nullable(time),
    update_hash: nullable(bytes(32)),
    former_update_hash: nullable(bytes(32)),
    rules: nullable(json(100_000, isRules)),
    tsig_algorithm: nullable(oneOf(tsigAlgorithms)),
    master_key_id: nullable(keyId),
    sealed: nullable(bytes(4096, 1)),
  },
  request: ({ name, scopes }) => ({ operation: 'keys.create', body: { name, scopes: scopes.split(' ') } }),
  check: ({ name, tsig_algorithm: algorithm, master_key_id: key, sealed, update_hash: updateHash }) => {
    refuseInvisible('name', name)
    if ((key === null) !== (sealed === null)) throw badRequest('sealed', 'must have the key that encrypts it')
    if ((algorithm === null) !== (sealed === null)) throw badRequest('sealed', 'must have the algorithm of its key')
    if (sealed && updateHash) throw badRequest('update_hash', 'must be null: a TSIG key has no update key')
  },
}

export const accountTables = {
  tables: {
    account: {
      ownership: { by: 'account', column: 'id' },
      references: {},
      hasGeneratedId: true,
      rule: account,
      // Limits and plans are those of an installation. A suspended account does not become active by a move, and one that was being deleted
      // is not deleted here.
      imported: ({ state }) => ({ limits: '{}', plan: null, state: state === 'deleted' ? 'stopped' : state }),
    },
    account_plan: ofInstallation('chosen by the operator'),
    token: {
      ...ofAccount,
      hasGeneratedId: true,
      rule: token,
      // The value before a rotation ends with the move to another installation.
      imported: () => ({ former_hash: null, former_until: null, former_update_hash: null, network_noted_at: null }),
      unique: leftOutIfTaken('hash', 'bytes', ({ prefix, name }) => `The token ${prefix}… (${name})`),
      sealed: (accountId, { hash }) => tsigIdentity(accountId, hash),
    },
    session: { ...ofAccount, hasGeneratedId: true, leftOut: 'a session belongs to the address of its installation' },
    password_reset: { ...ofAccount, key: ['hash'], leftOut: 'a link to the address of its installation' },
    ...webhookTables,
    sign_in_failure: ofInstallation('its keys are hashes of emails and networks'),
    setup_code: ofInstallation('a code for an installation without accounts'),
  },
  afterImport: (tx, accountId) => {
    endSetupCodes(tx)
    beginImportedWebhooks(tx, accountId)
  },
} satisfies AreaTables

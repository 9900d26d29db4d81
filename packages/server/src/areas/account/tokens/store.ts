import type { TokenScope } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import type { TsigAlgorithm } from '@svc/contract/limits'
import { lockAccount } from '../../../db/account-lock-store.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import { isCurrentKey } from '../../../ports/vault/key-store.js'
import { staleKey } from '../../../ports/vault/port.js'
import type { Account, CallerSession } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { readNewestFirst } from '../../../shared/page.js'
import { turns } from '../../../shared/turns.js'
import { digest, newToken, newUpdateKey } from '../secrets.js'
import {
  byId,
  byName,
  changeStore,
  eventFieldsOf,
  nameTaken,
  prefixOf,
  tokensLockKey,
  type TokenValues,
} from './change-store.js'
import { unlimited, type TokenLimits } from './limits.js'
import { shown, toToken, type Token } from './rows.js'
import { rulesText } from './stored-rules.js'
import { requireUpdateHost } from './update-key.js'

interface NewToken {
  accountId: number
  name: string
  prefix: string
  hash: Uint8Array
  scopes: string
  expiresAt: number | null
  unusedDays: number | null
  /** JSON. */
  networks: string
  rules: string | null
  updateHash: Uint8Array | null
  /** The browser session that creates it; null for the operator. */
  sessionId: number | null
  now: number
  /** Null for a Bearer token. */
  tsigAlgorithm: TsigAlgorithm | null
  masterKeyId: string | null
  sealed: Buffer | null
}

/** A structured clone turns a Buffer into a Uint8Array. */
interface CreatedToken extends Omit<NewToken, 'sealed'> {
  readonly sealed: Uint8Array | null
  readonly actor: Actor
}

const insert = prepared((db, p: NewToken) =>
  db
    .insertInto('token')
    .values({
      account_id: p.accountId,
      name: p.name,
      prefix: p.prefix,
      hash: p.hash,
      scopes: p.scopes,
      expires_at: p.expiresAt,
      unused_days: p.unusedDays,
      networks: p.networks,
      rules: p.rules,
      update_hash: p.updateHash,
      created_at: p.now,
      last_used_at: null,
      tsig_algorithm: p.tsigAlgorithm,
      master_key_id: p.masterKeyId,
      sealed: p.sealed,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
    .returning(shown),
)

const session = prepared((db, p: { accountId: number; sessionId: number }) =>
  db.selectFrom('session').where('id', '=', p.sessionId).where('account_id', '=', p.accountId).select('id'),
)

/** Newest first. Served by token_by_account (account_id, id desc). */
const page = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  db
    .selectFrom('token')
    .where('account_id', '=', p.accountId)
    .where('id', '<', p.before)
    .select(shown)
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** The most tokens of an account. */
const tokensMax = 1_000

/** Served by token_by_account (account_id, id desc). */
const count = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('token')
    .where('account_id', '=', p.accountId)
    .select((row) => row.fn.countAll<number>().as('count')),
)

const createLockKey = ({ accountId }: CreatedToken): string => tokensLockKey(accountId)

export const createToken = unit(
  import.meta,
  'createToken',
  createLockKey,
  async (tx, { actor, ...token }: CreatedToken) => {
    const { masterKeyId } = token
    if (masterKeyId !== null && !(await isCurrentKey(tx, masterKeyId))) return staleKey
    lockAccount(tx, token.accountId)
    const { accountId, sessionId } = token
    // A change of the password locks the account too, and ends its sessions and tokens: none may be created afterwards.
    if (sessionId !== null && (await tx.one(session, { accountId, sessionId })) === undefined)
      throw new ApiError('unauthorized', 'The session has ended.')
    const { count: existing } = await tx.only(count, token)
    if (existing >= tokensMax)
      throw new ApiError(
        'bad_request',
        `The account has ${String(existing)} tokens, and may have ${String(tokensMax)}: revoke one first.`,
      )
    const row = await tx.one(insert, { ...token, sealed: token.sealed && Buffer.from(token.sealed) })
    if (row === undefined) throw nameTaken(token.name)
    const after = eventFieldsOf(toToken(row))
    recordEvent(tx, {
      accountId,
      at: token.now,
      area: 'account',
      action: 'token_create',
      object: token.name,
      actor,
      after,
    })
    return row
  },
)

interface NewTokenTerms extends Omit<TokenLimits, 'isPaused'> {
  readonly hasUpdateKey?: boolean
}

export type TokenStore = ReturnType<typeof tokenStore>

/** Tokens of an account. */
export function tokenStore(db: Database) {
  const oneEachTurn = turns()

  return {
    /**
     * Creates a token. Its value and its update key are returned once and not stored.
     * @param by the browser session that creates it; null for the operator
     * @throws ApiError `bad_request` if another token of the account has the name, for too many tokens, or as `requireUpdateHost`;
     *   `unauthorized` if the session has ended
     */
    create: async (
      account: Account,
      name: string,
      scopes: readonly TokenScope[],
      { hasUpdateKey = false, ...limits }: NewTokenTerms = unlimited,
      by: CallerSession | null = null,
    ): Promise<Token & TokenValues> => {
      if (hasUpdateKey) requireUpdateHost('update_key', { scopes, limits })
      const { expiresAt, unusedDays, networks, rules } = limits
      const [token, updateKey] = [newToken(), hasUpdateKey ? newUpdateKey() : null]
      const row = await db.write(createToken, {
        accountId: account.id,
        name,
        prefix: prefixOf(token),
        hash: digest(token),
        scopes: scopes.join(' '),
        expiresAt,
        unusedDays,
        networks: JSON.stringify(networks),
        rules: rulesText(rules),
        updateHash: updateKey === null ? null : digest(updateKey),
        sessionId: by?.id ?? null,
        now: Date.now(),
        actor: account.actor,
        tsigAlgorithm: null,
        masterKeyId: null,
        sealed: null,
      })
      if (row === staleKey) throw new Error('createToken returned staleKey for a token without a secret.')
      return { ...toToken(row), token, updateKey }
    },

    /** Finds a token of the account by its id or name. A number is first taken for an id. */
    async find({ id: accountId }: Account, idOrName: string): Promise<Token | undefined> {
      const id = /^\d{1,15}$/.test(idOrName) ? Number(idOrName) : undefined
      const ofId = id === undefined ? undefined : await db.one(byId, { accountId, id })
      const row = ofId ?? (await db.one(byName, { accountId, name: idOrName }))
      return row && toToken(row)
    },

    /** Newest first, in batches. */
    list: ({ id: accountId }: Account): AsyncGenerator<Token[], undefined> =>
      readNewestFirst(
        async (before, rows) => (await db.all(page, { accountId, before, rows })).map(toToken),
        oneEachTurn,
      ),

    ...changeStore(db),

    count: async (account: Account): Promise<number> => (await db.one(count, { accountId: account.id }))?.count ?? 0,
  }
}

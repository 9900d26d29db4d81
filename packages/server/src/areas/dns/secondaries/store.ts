import { ApiError, badRequest } from '@svc/contract/errors'
import { dnsSecondariesMax } from '@svc/contract/limits'
import type { Kysely } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { isInNumbers } from '../../../db/json-list.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import type { AccountSecondary } from '../../../ports/dns/transfers/options.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { requireOwner } from '../../../shared/require-owner.js'
import type { Secondary } from './secondary.js'

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom('dns_secondary as secondary')
    .leftJoin('token', 'token.id', 'secondary.token_id')
    .select([
      'secondary.id',
      'secondary.address',
      'secondary.port',
      'secondary.token_id as tokenId',
      'token.name as keyName',
      'secondary.created_at as createdAt',
      'secondary.proven_at as provenAt',
      'secondary.told_at as toldAt',
      'secondary.told_zone as toldZone',
      'secondary.answer',
    ])

/** Served by dns_secondary_by_account. */
const ofAccount = prepared((db, p: { accountId: number }) =>
  shown(db).where('secondary.account_id', '=', p.accountId).orderBy('secondary.id'),
)

const lockAccount = prepared((db, p: { accountId: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.accountId)
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** Served by the primary key. */
const keyOf = prepared((db, p: { accountId: number; tokenId: number }) =>
  db
    .selectFrom('token')
    .where('id', '=', p.tokenId)
    .where('account_id', '=', p.accountId)
    .where('tsig_algorithm', 'is not', null)
    .select('name'),
)

interface NewSecondary extends Pick<Secondary, 'address' | 'port'> {
  readonly accountId: number
  readonly tokenId: number
  readonly now: number
}

const insert = prepared((db, p: NewSecondary) =>
  db
    .insertInto('dns_secondary')
    .values({
      account_id: p.accountId,
      token_id: p.tokenId,
      address: p.address,
      port: p.port,
      created_at: p.now,
      proven_at: null,
      told_at: null,
      told_zone: null,
      answer: null,
    })
    .returning('id'),
)

/** Served by the primary key. */
const byId = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('dns_secondary')
    .where('id', '=', p.id)
    .select(['account_id', 'address', 'port', 'proven_at'])
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('dns_secondary').where('id', '=', p.id))

const setProven = prepared((db, p: { id: number; now: number }) =>
  db.updateTable('dns_secondary').set({ proven_at: p.now }).where('id', '=', p.id),
)

const record = (
  tx: Transaction,
  action: 'secondary_add' | 'secondary_prove' | 'secondary_remove',
  { accountId, address, port, name }: { accountId: number; address: string; port: number; name?: string },
  actor: Actor,
): void => {
  const fields = { target: `${address} ${String(port)}`, ...(name !== undefined && { name }) }
  recordEvent(tx, {
    accountId,
    at: Date.now(),
    area: 'dns',
    action,
    object: address,
    actor,
    ...(action === 'secondary_remove' ? { before: fields } : { after: fields }),
  })
}

const addSecondary = unit(
  import.meta,
  'addSecondary',
  ({ accountId }: NewSecondary) => `account ${String(accountId)}`,
  async (tx, given: NewSecondary, actor: Actor) => {
    const { accountId, tokenId, address, port } = given
    await tx.one(lockAccount, { accountId })
    const key = await tx.one(keyOf, { accountId, tokenId })
    if (key === undefined)
      throw badRequest('key_id', `must be the id of a TSIG key of the account, not ${String(tokenId)}`)
    const existing = await tx.all(ofAccount, { accountId })
    if (existing.some((one) => one.address === address && one.port === port))
      throw badRequest('address', `is a secondary of the account already, with port ${String(port)}: delete it first`)
    if (existing.length >= dnsSecondariesMax)
      throw new ApiError(
        'bad_request',
        `The account has ${String(dnsSecondariesMax)} secondaries: delete one of them first.`,
      )
    const { id } = await tx.only(insert, given)
    record(tx, 'secondary_add', { ...given, name: key.name }, actor)
    return { id, keyName: key.name }
  },
)

const removeSecondary = unit(
  import.meta,
  'removeSecondary',
  async (tx, accountId: number, id: number, actor: Actor) => {
    const row = await tx.one(byId, { id })
    requireOwner(row, accountId, 'secondary', id)
    tx.send(remove, { id })
    record(tx, 'secondary_remove', { ...row, accountId }, actor)
  },
)

/** Served by dns_secondary_by_account. */
const removeOf = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('dns_secondary').where('account_id', '=', p.accountId),
)

const removeSecondaries = unit(import.meta, 'removeSecondaries', async (tx, accountId: number) => {
  tx.send(removeOf, { accountId })
})

/** @returns false if it was proven already, or removed */
const proveSecondary = unit(import.meta, 'proveSecondary', async (tx, accountId: number, id: number, actor: Actor) => {
  const row = await tx.one(byId, { id })
  if (row?.account_id !== accountId || row.proven_at !== null) return false
  tx.send(setProven, { id, now: Date.now() })
  record(tx, 'secondary_prove', { ...row, accountId }, actor)
  return true
})

const target = (db: Kysely<Tables>) =>
  db.selectFrom('dns_secondary').select(['id', 'account_id as accountId', 'token_id as tokenId', 'address', 'port'])

/** Read at the start. */
const allProven = prepared((db, _: object) => target(db).where('proven_at', 'is not', null))

/** Served by dns_secondary_by_account. @param p.ids JSON array */
const provenOf = prepared((db, p: { ids: string }, dialect) =>
  target(db)
    .where(isInNumbers('account_id', p.ids, dialect))
    .where('proven_at', 'is not', null),
)

/** Served by dns_secondary_by_token. @param p.ids JSON array */
const unprovenWith = prepared((db, p: { ids: string }, dialect) =>
  target(db)
    .where(isInNumbers('token_id', p.ids, dialect))
    .where('proven_at', 'is', null),
)

/** Served by the primary key. @param p.ids JSON array */
const byIds = prepared((db, p: { ids: string }, dialect) =>
  target(db)
    .where(isInNumbers('id', p.ids, dialect))
    .where('proven_at', 'is not', null),
)

/** How the last NOTIFY to a secondary ended. */
export interface ToldRow {
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly zone: string
  readonly answer: string
}

const setTold = prepared((db, p: ToldRow) =>
  db.updateTable('dns_secondary').set({ told_at: p.at, told_zone: p.zone, answer: p.answer }).where('id', '=', p.id),
)

const saveTold = unit(import.meta, 'saveTold', async (tx, rows: readonly ToldRow[]) => {
  // In the order of their ids, as another process writes them.
  for (const row of rows.toSorted((a, b) => a.id - b.id)) tx.send(setTold, row)
})

export type SecondaryStore = ReturnType<typeof secondaryStore>

/** The secondaries of an account. The last seven are for the system. */
export const secondaryStore = (db: Database) => ({
  list: (account: Account): Promise<Secondary[]> => db.all(ofAccount, { accountId: account.id }),

  /**
   * @param tokenId of a TSIG key
   * @throws ApiError `bad_request` for another token, a secondary that exists, and one too many
   */
  async add(account: Account, given: Pick<Secondary, 'address' | 'port'>, tokenId: number): Promise<Secondary> {
    const row = { ...given, accountId: account.id, tokenId, now: Date.now() }
    const { id, keyName } = await db.write(addSecondary, row, account.actor)
    const none = { provenAt: null, toldAt: null, toldZone: null, answer: null }
    return { ...given, id, tokenId, keyName, createdAt: row.now, ...none }
  },

  /** @throws ApiError `not_found`; `forbidden` for a secondary of another account */
  remove: (account: Account, id: number): Promise<void> => db.write(removeSecondary, account.id, id, account.actor),

  /** Removes those of an account that is being deleted. */
  removeAll: (accountId: number): Promise<void> => db.write(removeSecondaries, accountId),

  /** Saves that a secondary has proven its address. @returns false if that was saved before, or the secondary is gone */
  prove: (account: Pick<Account, 'id' | 'actor'>, id: number): Promise<boolean> =>
    db.write(proveSecondary, account.id, id, account.actor),

  allProven: (): Promise<AccountSecondary[]> => db.all(allProven, {}),

  provenOf: (accountIds: readonly number[]): Promise<AccountSecondary[]> =>
    db.all(provenOf, { ids: JSON.stringify(accountIds) }),

  /** Those that have proven nothing yet, by their keys. */
  unprovenWith: (tokenIds: readonly number[]): Promise<AccountSecondary[]> =>
    db.all(unprovenWith, { ids: JSON.stringify(tokenIds) }),

  provenByIds: (ids: readonly number[]): Promise<AccountSecondary[]> => db.all(byIds, { ids: JSON.stringify(ids) }),

  saveTold: (rows: readonly ToldRow[]): Promise<void> => db.write(saveTold, rows),
})

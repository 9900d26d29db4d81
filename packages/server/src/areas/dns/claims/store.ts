import { randomBytes } from 'node:crypto'
import { badRequest } from '@svc/contract/errors'
import type { ClaimStatus } from '@svc/contract'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { columns, toClaim, type Claim, type ClaimRow } from './claim.js'
import { checkLimits, lockAccount, type ClaimLimits } from './limit-store.js'
import { conflictingClaims, lockClaims } from './conflict-store.js'
import { forbiddenZone } from '../zones/forbidden-zone.js'
import { isReserved } from './reserved-store.js'
import { giveZone, lockZones, moveZones } from '../zones/holder-store.js'
import { claimTurn, verifyTurn } from '../zones/turn.js'

export interface ClaimTerms {
  /** Whether the zone counts as claimed by the operator: then it is contested, whichever accounts have claimed it. */
  readonly heldByOperator: boolean
}

/** A claim after a write. */
export interface Claimed {
  readonly claim: Claim
  /** Whether this write verified it: from now on the zone serves the records of its account. */
  readonly isNewlyVerified: boolean
}

interface Key {
  accountId: number
  zone: string
}

/** Served by dns_claim_of_account (account_id, zone), as the two below. */
const ownClaim = prepared((db, p: Key) =>
  db.selectFrom('dns_claim').where('account_id', '=', p.accountId).where('zone', '=', p.zone).select(columns),
)

const ownClaims = prepared((db, p: { accountId: number }) =>
  db.selectFrom('dns_claim').where('account_id', '=', p.accountId).select(columns).orderBy('zone'),
)

const remove = prepared((db, p: Key) =>
  db.deleteFrom('dns_claim').where('account_id', '=', p.accountId).where('zone', '=', p.zone).returning('status'),
)

/** Does nothing where the account has a claim on the zone, or where another's verified one forbids a second. */
const insert = prepared((db, p: Key & Pick<Claim, 'status' | 'method' | 'txtValue'> & { now: number }) =>
  db
    .insertInto('dns_claim')
    .values({
      account_id: p.accountId,
      zone: p.zone,
      status: p.status,
      method: p.method,
      txt_value: p.txtValue,
      created_at: p.now,
    })
    .onConflict((conflict) => conflict.doNothing()),
)

const promote = prepared((db, p: Key) =>
  db
    .updateTable('dns_claim')
    .set({ status: 'verified', txt_value: null })
    .where('account_id', '=', p.accountId)
    .where('zone', '=', p.zone)
    .returning(columns),
)

/** Asks for a TXT record, whichever method the claim had before. */
const challenge = prepared((db, p: Key & { txtValue: string }) =>
  db
    .updateTable('dns_claim')
    .set({ method: 'txt', txt_value: p.txtValue })
    .where('account_id', '=', p.accountId)
    .where('zone', '=', p.zone)
    .returning(columns),
)

/** The operator's word for a verified claim counts as a proof. */
const confirm = prepared((db, p: Key) =>
  db
    .updateTable('dns_claim')
    .set({ method: 'txt' })
    .where('account_id', '=', p.accountId)
    .where('zone', '=', p.zone)
    .returning(columns),
)

const demote = prepared((db, p: { id: number; txtValue: string }) =>
  db.updateTable('dns_claim').set({ status: 'pending', method: 'txt', txt_value: p.txtValue }).where('id', '=', p.id),
)

/** 192 bits in 32 characters. */
const newTxtValue = () => randomBytes(24).toString('base64url')

/** Whether neither another account nor the operator, by `svc dns reserve`, has a claim that this one would contest. */
const isUnclaimed = async (reader: Reader, { accountId, zone }: Key): Promise<boolean> =>
  (await conflictingClaims(reader, accountId, zone)).length === 0 && !(await isReserved(reader, zone))

const unchanged = (row: ClaimRow): Claimed => ({ claim: toClaim(row), isNewlyVerified: false })

const claimZone = unit(
  import.meta,
  'claimZone',
  claimTurn,
  async (tx, key: Key, { heldByOperator }: ClaimTerms, limits: ClaimLimits, now: number): Promise<Claimed> => {
    await lockClaims(tx, key.zone)
    await lockAccount(tx, key.accountId)
    const existing = await tx.one(ownClaim, key)
    if (existing !== undefined) return unchanged(existing)
    await checkLimits(tx, key, limits)
    const free = !heldByOperator && (await isUnclaimed(tx, key))
    const locked = free ? await lockZones(tx, [key.zone]) : []
    if (free) await tx.run(insert, { ...key, status: 'verified', method: 'auto', txtValue: null, now })
    // A no-op if the statement above changed a row.
    await tx.run(insert, { ...key, status: 'pending', method: 'txt', txtValue: newTxtValue(), now })
    const claim = toClaim(await tx.only(ownClaim, key))
    const isNewlyVerified = claim.status === 'verified'
    if (isNewlyVerified) await giveZone(tx, locked, key, now)
    return { claim, isNewlyVerified }
  },
)

const claimLegacyZone = unit(
  import.meta,
  'claimLegacyZone',
  claimTurn,
  async (tx, key: Key, { heldByOperator }: ClaimTerms, now: number): Promise<Claim> => {
    await lockClaims(tx, key.zone)
    // It is delegated to the nameservers anyway, so its NS answers would prove it for any account.
    if (heldByOperator || (await isReserved(tx, key.zone)))
      throw badRequest('zone', `${key.zone} is kept for the operator: svc dns assign gives it to an account`)
    const existing = await tx.one(ownClaim, key)
    if (existing !== undefined) throw badRequest('zone', `${key.zone} has a ${existing.status} claim of this account`)
    const others = await conflictingClaims(tx, key.accountId, key.zone)
    if (others.some(({ status }) => status === 'verified'))
      throw badRequest('zone', `${key.zone} is verified for another account, so its NS answers prove nothing`)
    await tx.run(insert, { ...key, status: 'pending', method: 'ns', txtValue: null, now })
    return toClaim(await tx.only(ownClaim, key))
  },
)

/** The unit `dns.verify`, for a transaction that does more. */
export async function verifyInTransaction(
  tx: Transaction,
  accountId: number,
  proven: Claim,
  { heldByOperator }: ClaimTerms,
  now: number,
): Promise<Claimed> {
  const key = { accountId, zone: proven.zone }
  await lockClaims(tx, key.zone)
  const existing = await tx.one(ownClaim, key)
  if (existing === undefined) throw forbiddenZone(key.zone)
  const claim = toClaim(existing)
  // What was looked up proves nothing for a claim that asks for something else by now.
  const asked = claim.status === 'pending' && claim.method === proven.method && claim.txtValue === proven.txtValue
  if (!asked) return unchanged(existing)
  // The zone has become the operator's since the legacy claim was made: its NS answers prove nothing.
  if (claim.method === 'ns' && (heldByOperator || (await isReserved(tx, key.zone))))
    return unchanged(await tx.only(challenge, { ...key, txtValue: newTxtValue() }))
  return takeZone(tx, key, now)
}

const verifyClaim = unit(import.meta, 'verifyClaim', verifyTurn, verifyInTransaction)

/** Waits for a transaction on these claims whose outcome is unknown. */
const settledClaim = unit(import.meta, 'settledClaim', claimTurn, async (tx, key: Key): Promise<Claim | undefined> => {
  await lockClaims(tx, key.zone)
  const row = await tx.one(ownClaim, key)
  return row && toClaim(row)
})

/** The unit `dns.assign`, for a transaction that does more. */
export async function assignInTransaction(tx: Transaction, key: Key, now: number): Promise<Claimed> {
  await lockClaims(tx, key.zone)
  await tx.run(insert, { ...key, status: 'pending', method: 'txt', txtValue: newTxtValue(), now })
  const existing = await tx.only(ownClaim, key)
  if (existing.status === 'verified') return unchanged(await tx.only(confirm, key))
  await tx.run(challenge, { ...key, txtValue: newTxtValue() })
  return takeZone(tx, key, now)
}

const assignZone = unit(import.meta, 'assignZone', claimTurn, assignInTransaction)

/** Verifies the account's claim and demotes the conflicting ones. */
async function takeZone(tx: Transaction, key: Key, now: number): Promise<Claimed> {
  const others = await conflictingClaims(tx, key.accountId, key.zone)
  const lost = others.filter(({ status }) => status === 'verified')
  const locked = await lockZones(tx, [key.zone, ...lost.map(({ zone }) => zone)])
  for (const { id, status, method } of others)
    // Nor do NS answers any longer prove a legacy claim: the zone is delegated here for its new owner.
    if (status === 'verified' || method === 'ns') await tx.run(demote, { id, txtValue: newTxtValue() })
  const claim = toClaim(await tx.only(promote, key))
  await giveZone(tx, locked, key, now)
  // Reverse zones above or below.
  await moveZones(
    tx,
    locked.filter(({ name }) => name !== key.zone),
  )
  return { claim, isNewlyVerified: true }
}

const releaseClaim = unit(import.meta, 'releaseClaim', claimTurn, async (tx, key: Key) => {
  await lockClaims(tx, key.zone)
  const locked = await lockZones(tx, [key.zone])
  const removed = await tx.one(remove, key)
  if (removed === undefined) throw forbiddenZone(key.zone)
  if (removed.status === 'verified') await moveZones(tx, locked)
})

const ordinary: ClaimTerms = { heldByOperator: false }

export type ClaimStore = ReturnType<typeof claimStore>

/** Claims on zones, as their owner has them. Zones are apex names in canonical form. */
export const claimStore = (db: Database, { zonesMax }: ClaimLimits = { zonesMax: Infinity }) => {
  const find = async (account: Account, zone: string): Promise<Claim | undefined> => {
    const row = await db.one(ownClaim, { accountId: account.id, zone })
    return row && toClaim(row)
  }
  return {
    find,

    /** By name. */
    list: async (account: Account, status: ClaimStatus | 'all'): Promise<Claim[]> => {
      const rows = await db.all(ownClaims, { accountId: account.id })
      return rows.map(toClaim).filter((claim) => status === 'all' || claim.status === status)
    },

    /**
     * Whether a claim of the account would be verified at once.
     * @throws ApiError `bad_request` when the account can claim no further zone
     */
    isFree: async (account: Account, zone: string, { heldByOperator }: ClaimTerms = ordinary): Promise<boolean> => {
      const key = { accountId: account.id, zone }
      if (heldByOperator || (await find(account, zone)) !== undefined || !(await isUnclaimed(db, key))) return false
      await checkLimits(db, key, { zonesMax })
      return true
    },
    /**
     * Verified at once where neither another account nor the operator has a claim that it contests. The account's own
     * claim stays as it is.
     * @throws ApiError `bad_request` when the account can claim no further zone
     */
    claim: (account: Account, zone: string, terms: ClaimTerms = ordinary): Promise<Claimed> =>
      db.write(claimZone, { accountId: account.id, zone }, terms, { zonesMax }, Date.now()),

    /**
     * A claim that the live NS answers will prove, for the operator who moves accounts here from elsewhere.
     * @throws ApiError `bad_request` where the account has a claim, or another account or the operator has the zone
     */
    claimLegacy: (account: Account, zone: string, terms: ClaimTerms = ordinary): Promise<Claim> =>
      db.write(claimLegacyZone, { accountId: account.id, zone }, terms, Date.now()),

    /** The operator gives the zone to the account without a proof; an account that has it falls back to pending. */
    assign: (account: Account, zone: string): Promise<Claimed> =>
      db.write(assignZone, { accountId: account.id, zone }, Date.now()),

    /**
     * Gives the zone to the account that has proven control; whoever had it falls back to pending.
     * @param proven the claim as it was when the look-up matched it; one that has changed since stays as it is
     * @throws ApiError `forbidden_zone` where it has been released since
     */
    verify: (account: Account, proven: Claim, terms: ClaimTerms = ordinary): Promise<Claimed> =>
      db.write(verifyClaim, account.id, proven, terms, Date.now()),

    /** The account's claim once every transaction on the zone's claims has ended, whether or not its answer was lost. */
    settled: (account: Account, zone: string): Promise<Claim | undefined> =>
      db.write(settledClaim, { accountId: account.id, zone }),

    /** Releases the claim; the zone is still served with the account's records. @throws ApiError `forbidden_zone` where there is no claim */
    release: (account: Account, zone: string): Promise<void> => db.write(releaseClaim, { accountId: account.id, zone }),
  }
}

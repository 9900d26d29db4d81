import { badRequestSentence } from '@svc/contract/errors'
import type { ClaimStatus } from '@svc/contract'
import { byBytes } from '../../../db/dialect.js'
import { noteChange } from '../../../db/change-clock-store.js'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { lockAccount } from '../../../db/account-lock-store.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'
import { columns, toClaim, unchanged, type Claim, type Claimed, type ClaimTerms } from './claim.js'
import { checkLimits, claimLimitsOf, type ClaimLimits } from './limit-store.js'
import { conflictingClaims, lockClaims } from './conflict-store.js'
import { forbiddenZone } from '../zones/verified-store.js'
import { isReserved } from './reserved-store.js'
import { giveZone, lockZones, moveReleased } from '../zones/holder-store.js'
import { claimLockKey } from '../zones/lock-keys.js'
import { actingKey, type ActingZoneKey, type ZoneKey } from '../zones/verified-store.js'
import { insertClaim, newTxtValue, ownClaim } from './own-claim-store.js'
import { claimPages } from './page-store.js'
import { assignZone, noteTaken, verifyClaim } from './take-store.js'

/** Served by dns_claim_of_account (account_id, zone). */
const ownClaims = prepared((db, p: { accountId: number }, dialect) =>
  db.selectFrom('dns_claim').where('account_id', '=', p.accountId).select(columns).orderBy('zone', byBytes(dialect)),
)

const remove = prepared((db, p: ZoneKey) =>
  db.deleteFrom('dns_claim').where('account_id', '=', p.accountId).where('zone', '=', p.zone).returning('status'),
)

/** Whether no other account has a conflicting claim, and the operator has not reserved the zone. */
export const isUnclaimed = async (reader: Reader, { accountId, zone }: ZoneKey): Promise<boolean> =>
  (await conflictingClaims(reader, accountId, zone)).length === 0 && !(await isReserved(reader, zone))

/** Writes the event of a pending claim. A verified one is a change of its zone. */
function recordClaimEvent(
  tx: Transaction,
  { accountId, zone: object, actor }: ActingZoneKey,
  action: 'claim_request' | 'claim_withdraw',
  at: number,
): void {
  recordEvent(tx, { accountId, at, area: 'dns', action, object, actor })
}

/**
 * A new claim, for the unit `claimZone` and for a transaction that does more.
 * @param key of claims that the transaction has locked; the account has no claim on the zone
 */
export async function claimInTransaction(
  tx: Transaction,
  key: ActingZoneKey,
  { isHeldByOperator }: ClaimTerms,
  now: number,
): Promise<Claimed> {
  const free = !isHeldByOperator && (await isUnclaimed(tx, key))
  const locked = free ? await lockZones(tx, [key.zone]) : []
  if (free) tx.send(insertClaim, { ...key, status: 'verified', method: 'auto', txtValue: null, now })
  // A no-op if the statement above changed a row.
  tx.send(insertClaim, { ...key, status: 'pending', method: 'txt', txtValue: newTxtValue(), now })
  const claim = toClaim(await tx.only(ownClaim, key))
  const isNewlyVerified = claim.status === 'verified'
  if (!isNewlyVerified) recordClaimEvent(tx, key, 'claim_request', now)
  if (isNewlyVerified) giveZone(tx, locked, key, now)
  return { claim, isNewlyVerified }
}

const claimZone = unit(
  import.meta,
  'claimZone',
  claimLockKey,
  async (tx, key: ActingZoneKey, terms: ClaimTerms, limits: ClaimLimits, now: number): Promise<Claimed> => {
    lockClaims(tx, key.zone)
    lockAccount(tx, key.accountId)
    const existing = await tx.one(ownClaim, key)
    if (existing !== undefined) return unchanged(existing)
    await checkLimits(tx, key, limits)
    return noteTaken(tx, await claimInTransaction(tx, key, terms, now))
  },
)

const claimLegacyZone = unit(
  import.meta,
  'claimLegacyZone',
  claimLockKey,
  async (tx, key: ActingZoneKey, { isHeldByOperator }: ClaimTerms, now: number): Promise<Claim> => {
    lockClaims(tx, key.zone)
    // The zone is delegated to the nameservers anyway, so its NS answers would prove it for any account.
    if (isHeldByOperator || (await isReserved(tx, key.zone)))
      throw badRequestSentence('zone', `${key.zone} is kept for the operator: svc dns assign gives it to an account`)
    const existing = await tx.one(ownClaim, key)
    if (existing !== undefined)
      throw badRequestSentence('zone', `${key.zone} has a ${existing.status} claim of this account`)
    const others = await conflictingClaims(tx, key.accountId, key.zone)
    if (others.some(({ status }) => status === 'verified'))
      throw badRequestSentence('zone', `${key.zone} is verified for another account, so its NS answers prove nothing`)
    tx.send(insertClaim, { ...key, status: 'pending', method: 'ns', txtValue: null, now })
    recordClaimEvent(tx, key, 'claim_request', now)
    return toClaim(await tx.only(ownClaim, key))
  },
)

/** Waits for a transaction on these claims whose outcome is unknown. */
const settledClaim = unit(
  import.meta,
  'settledClaim',
  claimLockKey,
  async (tx, key: ZoneKey): Promise<Claim | undefined> => {
    lockClaims(tx, key.zone)
    const row = await tx.one(ownClaim, key)
    return row && toClaim(row)
  },
)

const releaseClaim = unit(import.meta, 'releaseClaim', claimLockKey, async (tx, key: ActingZoneKey, now: number) => {
  lockClaims(tx, key.zone)
  const locked = await lockZones(tx, [key.zone])
  const removed = await tx.one(remove, key)
  if (removed === undefined) throw forbiddenZone(key.zone)
  if (removed.status !== 'verified') {
    recordClaimEvent(tx, key, 'claim_withdraw', now)
    return
  }
  for (const zone of locked) moveReleased(tx, zone, key.actor, now)
  noteChange(tx, 'sites')
})

const ordinary: ClaimTerms = { isHeldByOperator: false }

export type ClaimStore = ReturnType<typeof claimStore>

/** Claims of accounts on zones. Zones are apex names in canonical form. */
export const claimStore = (db: Database, { zonesMax }: ClaimLimits = { zonesMax: Infinity }) => {
  const limitsOf = (account: Account) => claimLimitsOf(account, { zonesMax })
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

    page: claimPages(db),

    /**
     * Whether a claim of the account would be verified at once.
     * @throws ApiError `bad_request` when the account can claim no further zone
     */
    isFree: async (account: Account, zone: string, { isHeldByOperator }: ClaimTerms = ordinary): Promise<boolean> => {
      const key = { accountId: account.id, zone }
      if (isHeldByOperator || (await find(account, zone)) !== undefined || !(await isUnclaimed(db, key))) return false
      await checkLimits(db, key, limitsOf(account))
      return true
    },
    /**
     * Creates a claim: verified if no other account has a conflicting claim and the operator does not keep the zone, otherwise
     * pending. An existing claim of the account stays as it is.
     * @throws ApiError `bad_request` when the account can claim no further zone
     */
    claim: (account: Account, zone: string, terms: ClaimTerms = ordinary): Promise<Claimed> =>
      db.write(claimZone, actingKey(account, zone), terms, limitsOf(account), Date.now()),

    /**
     * Creates a pending claim that NS answers can prove, for an account that the operator moves here from another system.
     * @throws ApiError `bad_request` if the account has a claim, or another account or the operator has the zone
     */
    claimLegacy: (account: Account, zone: string, terms: ClaimTerms = ordinary): Promise<Claim> =>
      db.write(claimLegacyZone, actingKey(account, zone), terms, Date.now()),

    /** The operator gives the zone to the account without a proof; an account that has it falls back to pending. */
    assign: (account: Account, zone: string): Promise<Claimed> =>
      db.write(assignZone, actingKey(account, zone), Date.now()),

    /**
     * Gives the zone to the account that has proven control; the claim of its former holder falls back to pending.
     * @param proven the claim as it was when the look-up matched it; one that has changed since stays as it is
     * @throws ApiError `forbidden_zone` if it has been released since
     */
    verify: (account: Account, proven: Claim, terms: ClaimTerms = ordinary): Promise<Claimed> =>
      db.write(verifyClaim, actingKey(account, proven.zone), proven, terms, Date.now()),

    /** The account's claim once every transaction on the zone's claims has ended, whether or not its answer was lost. */
    findSettled: (account: Account, zone: string): Promise<Claim | undefined> =>
      db.write(settledClaim, { accountId: account.id, zone }),

    /** Releases the claim; the zone is still served with the account's records. @throws ApiError `forbidden_zone` without a claim */
    release: (account: Pick<Account, 'id' | 'actor'>, zone: string): Promise<void> =>
      db.write(releaseClaim, actingKey(account, zone), Date.now()),
  }
}

import { noteChange } from '../../../db/change-clock-store.js'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { forbiddenZone } from '../zones/verified-store.js'
import { otherAccountActor } from '../../../shared/actor.js'
import { giveZone, lockZones, moveReleased } from '../zones/holder-store.js'
import { claimLockKey } from '../zones/lock-keys.js'
import type { ActingZoneKey, ZoneKey } from '../zones/verified-store.js'
import { columns, toClaim, unchanged, type Claim, type Claimed, type ClaimTerms } from './claim.js'
import { conflictingClaims, isOverruled, lockClaims } from './conflict-store.js'
import { insertClaim, newTxtValue, ownClaim } from './own-claim-store.js'
import { isReserved } from './reserved-store.js'

/** Gives a zone to an account: by a proof of control, or by the operator. Another account that has it falls back to pending. */

const promote = prepared((db, p: ZoneKey) =>
  db
    .updateTable('dns_claim')
    .set({ status: 'verified', txt_value: null })
    .where('account_id', '=', p.accountId)
    .where('zone', '=', p.zone)
    .returning(columns),
)

/** Requires a TXT record; replaces the method that the claim had before. */
const challenge = prepared((db, p: ZoneKey & { txtValue: string }) =>
  db
    .updateTable('dns_claim')
    .set({ method: 'txt', txt_value: p.txtValue })
    .where('account_id', '=', p.accountId)
    .where('zone', '=', p.zone)
    .returning(columns),
)

/** Marks a verified claim as confirmed by the operator, which counts as a proof. */
const confirm = prepared((db, p: ZoneKey) =>
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

/** The unit `verifyClaim` without `noteTaken`, for a transaction that does more. */
export async function verifyInTransaction(
  tx: Transaction,
  key: ActingZoneKey,
  proven: Claim,
  { isHeldByOperator }: ClaimTerms,
  now: number,
): Promise<Claimed> {
  lockClaims(tx, key.zone)
  const existing = await tx.one(ownClaim, key)
  if (existing === undefined) throw forbiddenZone(key.zone)
  const claim = toClaim(existing)
  // The look-up proves nothing for a claim that requires another value now.
  const isProven = claim.status === 'pending' && claim.method === proven.method && claim.txtValue === proven.txtValue
  if (!isProven) return unchanged(existing)
  // The zone has become the operator's since the legacy claim was created: its NS answers prove nothing.
  if (claim.method === 'ns' && (isHeldByOperator || (await isReserved(tx, key.zone))))
    return unchanged(await tx.only(challenge, { ...key, txtValue: newTxtValue() }))
  return takeZone(tx, key, now)
}

/** Verifies a claim that a look-up has proven. @throws ApiError `forbidden_zone` if it has been released since */
export const verifyClaim = unit(
  import.meta,
  'verifyClaim',
  claimLockKey,
  async (tx, key: ActingZoneKey, proven: Claim, terms: ClaimTerms, now: number) =>
    noteTaken(tx, await verifyInTransaction(tx, key, proven, terms, now)),
)

/** The unit `assignZone` without `noteTaken`, for a transaction that does more. */
export async function assignInTransaction(tx: Transaction, key: ActingZoneKey, now: number): Promise<Claimed> {
  lockClaims(tx, key.zone)
  tx.send(insertClaim, { ...key, status: 'pending', method: 'txt', txtValue: newTxtValue(), now })
  const existing = await tx.only(ownClaim, key)
  if (existing.status === 'verified') return unchanged(await tx.only(confirm, key))
  tx.send(challenge, { ...key, txtValue: newTxtValue() })
  return takeZone(tx, key, now)
}

/** Verifies the account's claim without a proof. */
export const assignZone = unit(import.meta, 'assignZone', claimLockKey, async (tx, key: ActingZoneKey, now: number) =>
  noteTaken(tx, await assignInTransaction(tx, key, now)),
)

/** Verifies the account's claim and demotes those that it overrules. */
async function takeZone(tx: Transaction, key: ActingZoneKey, now: number): Promise<Claimed> {
  const conflicting = await conflictingClaims(tx, key.accountId, key.zone)
  const others = conflicting.filter((claim) => isOverruled(claim, key.zone))
  const lost = others.filter(({ status }) => status === 'verified')
  const locked = await lockZones(tx, [key.zone, ...lost.map(({ zone }) => zone)])
  for (const { id, status, method } of others)
    // A legacy claim loses its method too: the zone is delegated here for its new owner, so NS answers prove nothing.
    if (status === 'verified' || method === 'ns') tx.send(demote, { id, txtValue: newTxtValue() })
  const claim = toClaim(await tx.only(promote, key))
  giveZone(tx, locked, key, now)
  // The other locked zones are below.
  for (const zone of locked) if (zone.name !== key.zone) moveReleased(tx, zone, otherAccountActor, now)
  return { claim, isNewlyVerified: true }
}

/**
 * Notes that sites at hosts of a zone change with its holder, that certificates for them can be ordered, and that those of a former holder
 * are no longer served. The last call of a unit, as `noteChange` must be.
 */
export function noteTaken(tx: Transaction, claimed: Claimed): Claimed {
  if (claimed.isNewlyVerified) {
    noteChange(tx, 'sites')
    noteChange(tx, 'wanted-certificates')
    noteChange(tx, 'certificates')
  }
  return claimed
}

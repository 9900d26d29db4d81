import { isReverse } from '../../../ports/dns/domain-names.js'

/** Keys of the locks that units of work take in the database (see `Unit.lockKey`): on the row of a zone, or on its claims. */

interface OfZone {
  readonly zone: string
}

/** Writes of records lock the row of their zone. */
export const zoneLockKey = ({ zone }: OfZone): string => zone

/** Claims lock the zone's claims. Reverse zones conflict with those above and below them, so they share one lock. */
export const claimLockKey = ({ zone }: OfZone): string => (isReverse(zone) ? 'arpa' : zone)

export const verifyLockKey = (_accountId: number, proven: OfZone): string => claimLockKey(proven)

import { lastLabels } from '../../../ports/dns/domain-names.js'

/** Keys of the locks that units of work take in the database (see `Unit.lockKey`): on the row of a zone, or on its claims. */

interface OfZone {
  readonly zone: string
}

/**
 * Writes of records lock the row of their zone. The key has the account, because a write waits for it before the account of the zone is
 * checked: other accounts must not hold up the writes of the holder.
 */
export const zoneLockKey = ({ zone, accountId }: OfZone & { readonly accountId: number }): string =>
  `${zone} of account ${String(accountId)}`

/** Claims lock the zone's claims, and those on zones above and below it. */
export const claimLockKey = ({ zone }: OfZone): string => lastLabels(zone)

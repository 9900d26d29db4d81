import { isReverse } from '../../../ports/dns/domain-names.js'

/** The locks that units of work wait for in the database (see `Unit.turn`): on the row of a zone, or on its claims. */

interface OfZone {
  readonly zone: string
}

/** Writes of records lock the row of their zone. */
export const zoneTurn = ({ zone }: OfZone): string => zone

/** Claims lock the zone's claims. Reverse zones conflict with those above and below them, so they share one lock. */
export const claimTurn = ({ zone }: OfZone): string => (isReverse(zone) ? 'arpa' : zone)

export const verifyTurn = (_accountId: number, proven: OfZone): string => claimTurn(proven)

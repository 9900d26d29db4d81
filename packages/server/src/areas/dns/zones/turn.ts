import { isReverse } from '../../../ports/dns/domain-names.js'

/** Which writes wait for each other in the database (see `Unit.turn`): for the row of a zone, or for its claims. */

interface OfZone {
  readonly zone: string
}

/** Writes of records lock the row of their zone. */
export const zoneTurn = ({ zone }: OfZone): string => zone

/** Claims lock the zone's claims; reverse zones contest what lies above and below them, so they share one lock. */
export const claimTurn = ({ zone }: OfZone): string => (isReverse(zone) ? 'arpa' : zone)

export const verifyTurn = (_accountId: number, proven: OfZone): string => claimTurn(proven)

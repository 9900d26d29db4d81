import type { RRset } from '../../../ports/dns/port.js'
import type { ChallengeStore } from './challenge-store.js'
import { changedWithChallenges, touchesChallenges } from './overlay.js'

/** The changed RRsets of a zone as they are served: with the open values of challenges. Reads nothing for most changes. */
export async function servedRRsets(
  challenges: Pick<ChallengeStore, 'openOf'>,
  zone: string,
  rrsets: readonly RRset[],
): Promise<readonly RRset[]> {
  if (!touchesChallenges(rrsets)) return rrsets
  return changedWithChallenges(zone, rrsets, await challenges.openOf(zone))
}

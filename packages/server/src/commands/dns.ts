import { claimStore, type Claim } from '../areas/dns/claim-store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { withAccount } from './accounts.js'
import { zone } from './input.js'

/**
 * `svc dns claim-legacy`: a pending claim that the zone's live NS answers will prove (specification, section 3), for
 * accounts that come from another system. @throws ApiError where the account has a claim, or another has the zone
 */
export async function claimLegacy(config: DatabaseConfig, email: string, zoneName: string): Promise<Claim> {
  const checked = zone(zoneName)
  return withAccount(config, email, (account, db) => claimStore(db).claimLegacy(account, checked))
}

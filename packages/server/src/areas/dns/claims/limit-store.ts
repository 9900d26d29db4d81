import { badRequest } from '@svc/contract/errors'
import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { limitsOf } from '../../../shared/account-limits.js'
import type { Account } from '../../../shared/account.js'

/** The limits on the zones of one account. */

export interface ClaimLimits {
  /** Claims, verified or pending. The same number of released zones may be served in addition. */
  readonly zonesMax: number
}

/** The limits that apply to an account. */
export const claimLimitsOf = (account: Account, settings: ClaimLimits): ClaimLimits =>
  limitsOf(account, settings, { zonesMax: 'zones' })

/** Served by dns_claim_of_account and dns_zone_by_holder. */
const counts = prepared((db, p: { accountId: number; zone: string }) =>
  db.selectNoFrom((of) => [
    of
      .selectFrom('dns_claim')
      .where('account_id', '=', p.accountId)
      .select((claim) => claim.fn.countAll<number>().as('claims'))
      .as('claims'),
    of
      .selectFrom('dns_zone')
      .where('holder_id', '=', p.accountId)
      .where('name', '!=', p.zone)
      .where((is) =>
        is.not(
          is.exists(
            is
              .selectFrom('dns_claim')
              .where('account_id', '=', p.accountId)
              .whereRef('dns_claim.zone', '=', 'dns_zone.name')
              .select('dns_claim.id'),
          ),
        ),
      )
      .select((zone) => zone.fn.countAll<number>().as('released'))
      .as('released'),
  ]),
)

/** Counts the account's zones. @throws ApiError `bad_request` when it can claim no further zone */
export async function checkLimits(
  reader: Reader,
  key: { readonly accountId: number; readonly zone: string },
  { zonesMax }: ClaimLimits,
): Promise<void> {
  const { claims, released } = (await reader.one(counts, key)) ?? {}
  if ((claims ?? 0) >= zonesMax)
    throw badRequest('zone', `cannot be claimed: the account has reached its limit of ${zonesMax} zones`)
  // Otherwise an account could fill the nameserver by claiming and releasing zones repeatedly.
  if ((released ?? 0) >= zonesMax)
    throw badRequest(
      'zone',
      `cannot be claimed: ${zonesMax} released zones of the account are still served, which is the limit`,
    )
}

import { badRequestSentence } from '@svc/contract/errors'
import type { Account } from '../../../shared/account.js'
import { ProviderFailed, type DnsProvider, type Inventory } from '../../../ports/dns/port.js'
import type { Claim, Claimed, ClaimTerms } from '../claims/claim.js'
import { readInventory } from '../claims/inventory.js'
import { foreignZones } from './foreign-zones.js'
import { publishThenCommit } from './publish-then-commit.js'
import type { Publisher, ReportRestoreFailed } from '../publisher.js'
import { markAndPublish, publishStored } from './stored-zone.js'
import type { DnsStores } from '../stores.js'
import type { WithZoneLock, WriteTime } from './zone-lock.js'

interface ProviderClaimDependencies {
  readonly stores: Pick<DnsStores, 'claims' | 'adoptions' | 'zones'>
  readonly provider: DnsProvider
  readonly withZoneLock: WithZoneLock
  readonly reportRestoreFailed: ReportRestoreFailed
}

/** The contents of a zone that was deleted at the provider in the meantime. */
const emptyInventory: Inventory = { rrsets: [], unreadable: [], unmanaged: [] }

/** NS answers prove nothing for an operator's zone, which is delegated to the operator's nameservers anyway; a TXT record does. */
const operatorTerms: ClaimTerms = { isHeldByOperator: true }

/**
 * Claims on zones of an external provider. The provider gets the records of the new holder before the commit. A foreign zone
 * (foreign-zones.ts) belongs to the operator: nothing in it changes until a TXT record or the operator gives it to an
 * account, with its records.
 */
export function claimsBeforeCommit(
  dependencies: ProviderClaimDependencies,
): Pick<Publisher, 'claim' | 'verify' | 'assign'> {
  const { stores, provider, withZoneLock } = dependencies
  const { claims, zones } = stores
  const foreign = foreignZones(provider, zones)

  return {
    claim: (account, zone, terms) =>
      withZoneLock(zone, async (time) => {
        if (!(await claims.isFree(account, zone, terms))) return (await claims.claim(account, zone, terms)).claim
        if (await foreign.hasAtOrAbove(zone, time.work)) return (await claims.claim(account, zone, operatorTerms)).claim
        return provide(dependencies, account, zone, () => claims.claim(account, zone, terms), time)
      }),

    verify: (account, proven, terms) =>
      withZoneLock(proven.zone, async (time) => {
        if (!(await foreign.has(proven.zone, time.work)))
          return provide(dependencies, account, proven.zone, () => claims.verify(account, proven, terms), time)
        if (proven.method === 'ns') return (await claims.verify(account, proven, operatorTerms)).claim
        return takeOver(dependencies, account, proven, time)
      }),

    assign: (account, zone) =>
      withZoneLock(zone, async (time) => {
        if (await foreign.has(zone, time.work))
          throw badRequestSentence(
            'zone',
            `${zone} is in the DNS provider and was not created by svc: svc dns adopt gives it to an account with its records.`,
          )
        return provide(dependencies, account, zone, () => claims.assign(account, zone), time)
      }),
  }
}

/** Publishes the account's records of the zone, then commits the verified claim. */
async function provide(
  { stores: { claims, zones }, provider, reportRestoreFailed }: ProviderClaimDependencies,
  account: Account,
  zone: string,
  commit: () => Promise<Claimed>,
  time: WriteTime,
): Promise<Claim> {
  const [isKnown, mark] = [await zones.has(zone), await provider.markOf(zone, time.work)]
  const { isSwitch, ...contents } = await zones.contentsFor(zone, account)
  // Leave the provider as it is if the holder does not change: it may be newer than the rows read here.
  if (isKnown && mark !== 'missing' && !isSwitch) return (await commit()).claim
  const isVerified = ({ status }: Claim) => status === 'verified'
  return publishThenCommit<Claim>(
    {
      zone,
      publish: (deadline) => provider.setZone(contents, deadline),
      commit: async () => (await commit()).claim,
      // False if the claim has changed in the meantime: it was released, or requires another TXT value.
      isPublished: isVerified,
      findCommitted: async () => {
        const claim = await claims.findSettled(account, zone)
        return claim !== undefined && isVerified(claim) ? claim : undefined
      },
      restore: async (deadline) => {
        // A zone without a row has a mark at the provider: the next attempt reuses it.
        if (isKnown) await publishStored(zones, provider, zone, deadline)
      },
    },
    time,
    reportRestoreFailed,
  )
}

/** Gives a foreign zone to the account that has proven control, with the records that are in it. */
async function takeOver(
  { stores: { adoptions, zones }, provider, reportRestoreFailed }: ProviderClaimDependencies,
  account: Account,
  proven: Claim,
  time: WriteTime,
): Promise<Claim> {
  const { zone } = proven
  const inventory = await provider.inventory(zone, time.work)
  const { records, problems } = readInventory(zone, inventory ?? emptyInventory)
  if (problems.length > 0)
    throw new ProviderFailed(
      'the zone holds records that svc cannot take over; the operator sees them with svc dns adopt',
      zone,
    )
  const { claim, isNewlyVerified } = await adoptions.verify(account, proven, records)
  if (isNewlyVerified)
    // Not publishThenCommit: the provider already serves these records, and a zone must not be marked before it is committed.
    // A failure after the commit has nothing to undo: svc dns sync completes it.
    await markAndPublish(zones, provider, zone, time.work).catch((error: unknown) => {
      reportRestoreFailed(zone, error)
    })
  return claim
}

import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, badRequest } from '@svc/contract/errors'
import type { Account } from '../../../shared/account.js'
import type { DnsProvider, Inventory } from '../../../ports/dns/port.js'
import type { AdoptionStore } from '../claims/adoption-store.js'
import type { ClaimServing } from './after-commit.js'
import type { Claim } from '../claims/claim.js'
import type { Claimed, ClaimStore, ClaimTerms } from '../claims/store.js'
import { foreignZones } from './foreign-zones.js'
import { handOver } from './hand-over.js'
import { readInventory } from '../claims/inventory.js'
import type { NotGivenBack } from './before-commit.js'
import { serveStored } from './stored-zone.js'
import type { WithZoneLock, WriteTime } from './zone-lock.js'
import type { ZoneStore } from '../zones/store.js'

export interface ProviderClaimOptions {
  readonly claims: ClaimStore
  readonly provider: DnsProvider
  readonly zones: Pick<ZoneStore, 'contents' | 'contentsFor' | 'has' | 'version'>
  readonly adoptions: AdoptionStore
  /** Shared with the other writes to the provider, so that they exclude each other. */
  readonly withZoneLock: WithZoneLock
  readonly notGivenBack: NotGivenBack
  /** Whether a zone counts as claimed by the operator, independent of the provider. */
  readonly heldByOperator: (zone: string) => boolean
}

const retryAfterMs = 250

/** A zone that was deleted at the provider in the meantime. */
const nothing: Inventory = { rrsets: [], unreadable: [], unmanaged: [] }

/** NS answers prove nothing for an operator's zone, which is delegated to the operator's nameservers anyway; a TXT record does. */
const operators = { heldByOperator: true }

/**
 * Claims on zones of an external provider. It gets the records of the new holder before the commit, under the zone's lock;
 * if either fails, its records are restored from the database. A foreign zone (foreign-zones.ts) is the operator's: nothing in it
 * changes until a TXT record or the operator gives it to an account, with its records.
 */
export class ProviderClaims implements ClaimServing {
  readonly #foreign

  constructor(private readonly options: ProviderClaimOptions) {
    this.#foreign = foreignZones(options.provider, options.zones)
  }

  claim(account: Account, zone: string): Promise<Claim> {
    const { claims, withZoneLock, heldByOperator } = this.options
    return withZoneLock(zone, async (time) => {
      const terms = { heldByOperator: heldByOperator(zone) }
      const commit = (on: ClaimTerms) => claims.claim(account, zone, on)
      if (!(await claims.isFree(account, zone, terms))) return (await commit(terms)).claim
      if (await this.#foreign.hasAtOrAbove(zone, time.work)) return (await commit(operators)).claim
      return this.#provide(zone, account, () => commit(terms), time)
    })
  }

  verified(account: Account, proven: Claim): Promise<Claim> {
    const { claims, withZoneLock, heldByOperator } = this.options
    const { zone, method } = proven
    return withZoneLock(zone, async (time) => {
      const terms = { heldByOperator: heldByOperator(zone) }
      const commit = (on: ClaimTerms) => claims.verified(account, proven, on)
      if (!(await this.#foreign.has(zone, time.work))) return this.#provide(zone, account, () => commit(terms), time)
      return method === 'ns' ? (await commit(operators)).claim : this.#takeOver(account, proven, time)
    })
  }

  assign(account: Account, zone: string): Promise<Claim> {
    const { claims, withZoneLock } = this.options
    return withZoneLock(zone, async (time) => {
      if (await this.#foreign.has(zone, time.work))
        throw badRequest(
          'zone',
          `${zone} is in the DNS provider and was not made by svc: svc dns adopt gives it to an account with its records.`,
        )
      return this.#provide(zone, account, () => claims.assign(account, zone), time)
    })
  }

  /** Publishes the account's records of the zone, then commits the verified claim. */
  async #provide(zone: string, account: Account, commit: () => Promise<Claimed>, time: WriteTime): Promise<Claim> {
    const { zones, provider } = this.options
    const [isKnown, mark] = [await zones.has(zone), await provider.markOf(zone, time.work)]
    const { isSwitch, ...next } = await zones.contentsFor(zone, account)
    // Leave the provider as it is if the holder does not change: it may be newer than the rows read here.
    if (isKnown && mark !== 'missing' && !isSwitch) return (await commit()).claim
    // A zone without a row is marked: the next attempt uses it.
    const restore = isKnown ? () => this.#restore(zone, time) : async () => undefined
    try {
      await provider.setZone(next, time.work)
    } catch (error) {
      await restore()
      throw error
    }
    try {
      const { claim } = await commit()
      // The claim has changed in the meantime: it was released, or asks for another value.
      if (claim.status !== 'verified') await restore()
      return claim
    } catch (error) {
      const claim = error instanceof ApiError ? undefined : await this.#settled(account, zone, time, error)
      if (claim?.status === 'verified') return claim
      await restore()
      throw error
    }
  }

  async #restore(zone: string, { restore }: WriteTime): Promise<void> {
    const { zones, provider, notGivenBack } = this.options
    await serveStored(zones, provider, zone, restore).catch((error: unknown) => notGivenBack(zone, error))
  }

  /** The claim after a commit that failed or got no answer. @throws `failure` if the outcome is unknown */
  async #settled(account: Account, zone: string, { restore }: WriteTime, failure: unknown): Promise<Claim | undefined> {
    for (;;) {
      try {
        return await this.options.claims.settled(account, zone)
      } catch (error) {
        if (restore === undefined || restore.remainingMs < retryAfterMs) {
          this.options.notGivenBack(zone, error)
          throw failure
        }
        await sleep(retryAfterMs)
      }
    }
  }

  /** Gives a foreign zone to the account that has proven control, with the records that are in it. */
  async #takeOver(account: Account, proven: Claim, time: WriteTime): Promise<Claim> {
    const { provider, zones, adoptions, notGivenBack } = this.options
    const { zone } = proven
    const inventory = await provider.inventory(zone, time.work)
    const { records, problems } = readInventory(zone, inventory ?? nothing)
    if (problems.length > 0)
      throw new ApiError(
        'upstream_error',
        'The DNS provider failed: the zone holds records that svc cannot take over; the operator sees them with svc dns adopt.',
        { zone },
      )
    const { claim, isNewlyVerified } = await adoptions.verify(account, proven, records)
    if (isNewlyVerified)
      // Committed: svc dns sync repairs failures from here on.
      await handOver(zones, provider, zone, time.work).catch((error: unknown) => notGivenBack(zone, error))
    return claim
  }
}

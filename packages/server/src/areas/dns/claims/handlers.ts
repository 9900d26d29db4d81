import type { Areas } from '@svc/contract'
import { longList } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import { requestedPage, yieldBatches } from '../../../shared/page.js'
import { allows } from '../../../shared/rules.js'
import { turns } from '../../../shared/turns.js'
import type { Resolver } from '../../../ports/resolver/port.js'
import { lookUpProof } from './proof.js'
import type { Publisher } from '../publisher.js'
import type { Claim } from './claim.js'
import { changedNote, operatorOnlyNote } from './explain.js'
import { claimWriter, toJson, toListedJson, toUnprovenJson, toVerifyJson } from './presenter.js'
import type { ClaimStore } from './store.js'
import { forbiddenZone } from '../zones/verified-store.js'
import { pathZone, zoneName } from '../zones/name.js'

type Dns = Areas['dns']

type ClaimHandlers = Pick<Handlers<Dns>, 'zoneList' | 'zoneClaim' | 'zoneGet' | 'zoneVerify' | 'zoneRelease'>

interface ClaimDependencies {
  readonly claims: ClaimStore
  readonly publisher: Publisher
  readonly resolver: Resolver
  /** The nameservers that zones are delegated to: host names in lower case. */
  readonly nameservers: readonly string[]
  /** Whether a zone counts as claimed by the operator. */
  readonly isOperatorZone: (zone: string) => boolean
}

/** Claims on zones: the state table of the specification, section 3. */
export function claimHandlers({
  claims,
  publisher,
  resolver,
  nameservers,
  ...parts
}: ClaimDependencies): ClaimHandlers {
  const oneEachTurn = turns()
  const claimJson = claimWriter(nameservers)
  const termsOf = (zone: string) => ({ isHeldByOperator: parts.isOperatorZone(zone) })

  /** The account's claim, pending or verified. @throws ApiError `forbidden_zone` */
  async function requireClaim(account: Account, zone: string): Promise<Claim> {
    const claim = await claims.find(account, zone)
    if (claim === undefined) throw forbiddenZone(zone)
    return claim
  }

  return {
    async zoneList({ query }, { account }) {
      const { status = 'all' } = query
      const page = requestedPage(query)
      if (page !== undefined) {
        const { entries, ...rest } = await claims.page(account, status === 'all' ? null : status, page)
        return { zones: entries.map((claim) => toListedJson(claim, nameservers)), ...rest }
      }
      const all = await oneEachTurn(() => claims.list(account, status))
      const list =
        account.rules === undefined
          ? all
          : all.filter(({ zone }) => allows(account.rules, { kind: 'zone', name: zone, access: 'read' }))
      return longList('{"zones":[', yieldBatches(list, oneEachTurn), claimJson)
    },

    async zoneClaim({ body }, { account }) {
      const zone = zoneName(body.zone)
      return toJson(await publisher.claim(account, zone, termsOf(zone)), nameservers)
    },

    async zoneGet({ params }, { account }) {
      return toJson(await requireClaim(account, pathZone(params.zone)), nameservers)
    },

    async zoneVerify({ params }, { account }) {
      const claim = await requireClaim(account, pathZone(params.zone))
      if (claim.status === 'verified') return toVerifyJson(claim)
      const operatorOnly = operatorOnlyNote(claim.zone)
      if (operatorOnly !== undefined) return toVerifyJson(claim, operatorOnly)
      const lookUp = await lookUpProof(claim, resolver, nameservers)
      if (!lookUp.isProven) return toUnprovenJson(claim, lookUp)
      const after = await publisher.verify(account, claim, termsOf(claim.zone))
      return toVerifyJson(after, after.status === 'verified' ? undefined : changedNote(after.zone))
    },

    async zoneRelease({ params }, { account }) {
      const zone = pathZone(params.zone)
      await claims.release(account, zone)
      return { zone, released: true }
    },
  }
}

import type { ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { AccountLookUps } from '../../../ports/registry/account-look-ups.js'
import type { LookUp, Resolver, ResolverReply } from '../../../ports/resolver/port.js'
import type { RecordStore } from '../records/store.js'
import { pathZone } from '../zones/name.js'
import { lookUpJson } from './explain.js'
import { isSameSet } from './proof.js'

interface DelegationDependencies {
  readonly requireVerified: RecordStore['requireVerified']
  readonly resolver: Resolver
  /** The nameservers that zones are delegated to: host names in lower case. */
  readonly nameservers: readonly string[]
}

/** Whether the public DNS has the nameservers of this server for a zone. The resolver ends each look-up within its deadline. */
export function delegationHandlers({
  requireVerified,
  resolver,
  nameservers,
}: DelegationDependencies): Handlers<ConsoleAreas['dns']> {
  const lookUps = new AccountLookUps()
  return {
    async delegation({ params }, { account }) {
      const zone = pathZone(params.zone)
      await requireVerified(account, zone)
      const at = Date.now()
      const replies = await lookUps.run(account, () => resolver.ns(zone))
      const lookUp = { type: 'NS', name: zone, expected: nameservers, replies, at } as const
      return { zone, state: stateOf(replies, nameservers), lookup: lookUpJson(lookUp) }
    },
  }
}

/** Resolvers that fail say nothing about the delegation; of the others, all must have the nameservers, and no further ones. */
function stateOf(replies: LookUp, nameservers: readonly string[]): 'live' | 'waiting' | 'unknown' {
  const saying = replies.filter(({ result }) => saysNameservers.has(result))
  if (saying.length === 0) return 'unknown'
  return saying.every(({ values }) => isSameSet(values, nameservers)) ? 'live' : 'waiting'
}

const saysNameservers: ReadonlySet<ResolverReply['result']> = new Set(['found', 'nxdomain', 'no_data'])

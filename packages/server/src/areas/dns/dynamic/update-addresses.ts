import { ApiError } from '@svc/contract/errors'
import { groupBy } from '@svc/contract/group-by'
import { ttlMin } from '@svc/contract/limits'
import type { Account } from '../../../shared/account.js'
import { allows } from '../../../shared/rules.js'
import { runAtOnce } from '../../../shared/time-slices.js'
import type { Publisher } from '../publisher.js'
import { checkWantedChanges, type GivenChange } from '../records/wanted-changes.js'
import type { KnownHost, knownHosts } from './known-hosts.js'
import { addressTypes, type Addresses, type AddressType } from './parameters.js'

/** What an update has done with a host, in the words of the protocol dyndns2: docs/dynamic-dns.md. */
export type Outcome = 'good' | 'nochg' | 'nohost' | 'abuse' | 'dnserr' | '911'

/** Of a new record: a host with a dynamic address needs a short one. */
const newTtl = ttlMin

interface UpdateDependencies {
  readonly hosts: ReturnType<typeof knownHosts>
  readonly publisher: Pick<Publisher, 'applyChanges'>
  /** Counts an update that changes something. @returns false for one that is too many */
  readonly isWithinLimit: (tokenId: number) => boolean
  /** Checks that there is space for a change. @throws StorageError */
  readonly requireSpace: () => void
  /** Logs an error that the client cannot fix. */
  readonly report: (error: unknown) => void
}

export type UpdateAddresses = ReturnType<typeof addressUpdater>

interface HostChange {
  readonly name: string
  readonly known: KnownHost
  readonly types: readonly AddressType[]
}

/** Changes the records of hosts through the planner and the publisher of the API. */
function hostChanger({
  publisher,
  requireSpace,
  report,
}: Pick<UpdateDependencies, 'publisher' | 'requireSpace' | 'report'>) {
  /** Applies changes of one zone in one step. */
  async function apply(account: Account, zone: string, changes: readonly HostChange[], addresses: Addresses) {
    const given = changes.flatMap((change) => givenChanges(change, addresses))
    requireSpace()
    const { removed, added } = await publisher.applyChanges(account, zone, runAtOnce(checkWantedChanges(zone, given)))
    return removed.length + added.length === 0 ? 'nochg' : 'good'
  }

  async function outcomeOf(account: Account, zone: string, changes: readonly HostChange[], addresses: Addresses) {
    try {
      return await apply(account, zone, changes, addresses)
    } catch (error) {
      return failureOf(error, report)
    }
  }

  /** All changes of one zone in one step, or if one of them is refused, each in a step. */
  async function changeZone(account: Account, zone: string, changes: readonly HostChange[], addresses: Addresses) {
    const together = await outcomeOf(account, zone, changes, addresses)
    if (changes.length === 1 || together !== 'nohost')
      return changes.map(({ name }): [string, Outcome] => [name, together])
    const outcomes: [string, Outcome][] = []
    for (const change of changes) outcomes.push([change.name, await outcomeOf(account, zone, [change], addresses)])
    return outcomes
  }

  return async (account: Account, changes: readonly HostChange[], addresses: Addresses) => {
    const outcomes: [string, Outcome][] = []
    let failure: Outcome | undefined
    for (const [zone, ofZone] of groupBy(changes, ({ known }) => known.zone)) {
      // After a failure, the other zones are not tried: a nameserver that hangs must not hang once for each of them.
      const before = failure
      const changed =
        before === undefined
          ? await changeZone(account, zone, ofZone, addresses)
          : ofZone.map(({ name }): [string, Outcome] => [name, before])
      outcomes.push(...changed)
      failure = changed.map(([, outcome]) => outcome).find((outcome) => outcome === 'dnserr' || outcome === '911')
    }
    return outcomes
  }
}

/** Sets the addresses of hosts. A host that has them already costs no write. */
export function addressUpdater({ hosts, isWithinLimit, ...dependencies }: UpdateDependencies) {
  const { report } = dependencies
  const change = hostChanger(dependencies)

  /**
   * @param names canonical, at most twenty, each once
   * @returns what was done with each of them; never rejects
   */
  return async (
    account: Account,
    tokenId: number,
    names: readonly string[],
    addresses: Addresses,
  ): Promise<ReadonlyMap<string, Outcome>> => {
    const found = await hosts.find(account, names).catch((error: unknown) => failureOf(error, report))
    if (typeof found === 'string') return new Map(names.map((name) => [name, found]))
    const outcomes = new Map<string, Outcome>()
    const changes: HostChange[] = []
    for (const name of names) {
      const known = found.get(name)
      if (known === undefined || !isAllowed(account, known, addresses)) outcomes.set(name, 'nohost')
      else {
        const types = changedTypes(known, addresses)
        if (types.length === 0) outcomes.set(name, 'nochg')
        else changes.push({ name, known, types })
      }
    }
    if (changes.length === 0) return outcomes
    if (!isWithinLimit(tokenId)) return new Map([...outcomes, ...changes.map(({ name }) => [name, 'abuse'] as const)])
    for (const [name, outcome] of await change(account, changes, addresses)) outcomes.set(name, outcome)
    return outcomes
  }
}

/** Before it is compared with the records: without the right, the answer must not tell their addresses. */
function isAllowed({ rules }: Account, { zone, host }: KnownHost, addresses: Addresses): boolean {
  const records = addressTypes.filter((type) => addresses[type] !== undefined).map((type) => ({ host, type }))
  return allows(rules, { kind: 'zone', name: zone, access: 'write', added: records })
}

const changedTypes = (known: KnownHost, addresses: Addresses): AddressType[] =>
  addressTypes.filter(
    (type) => addresses[type] !== undefined && (known[type].count !== 1 || known[type].value !== addresses[type]),
  )

const givenChanges = ({ known, types }: HostChange, addresses: Addresses): GivenChange[] =>
  types.map((type) => ({
    replace: { host: known.host, type, ttl: known[type].ttl ?? newTtl, values: [addresses[type] ?? ''] },
  }))

/** An error of the input is one of the host: it is in no zone of the account, or has records that exclude addresses, such as a CNAME. */
function failureOf(error: unknown, report: (error: unknown) => void): 'nohost' | 'dnserr' | '911' {
  if (error instanceof ApiError && error.code !== 'internal_error')
    return error.code === 'upstream_error' ? 'dnserr' : 'nohost'
  report(error)
  return '911'
}

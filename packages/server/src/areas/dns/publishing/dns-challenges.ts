import { groupBy } from '@svc/contract/group-by'
import type { Logger } from 'pino'
import { CannotProve } from '../../../ports/certificates/acme/proof.js'
import { isProvider, type Dns } from '../../../ports/dns/port.js'
import type { Job } from '../../../shared/job.js'
import type { NameserverProcess } from './nameserver-process.js'
import type { LoadedZone } from './process-store.js'
import { publishStored } from './stored-zone.js'
import type { WithZoneLock } from './zone-lock.js'
import type { DnsChallenge } from '../challenges/overlay.js'
import type { DnsStores } from '../stores.js'
import type { ChallengeStore } from '../challenges/challenge-store.js'
import type { SeenAtNameservers } from './nameserver-views.js'

/** Serves values that prove names to a CA, beside the records of zones. They are in no list, and count in no limit. */
export interface DnsChallenges {
  /** The zone of svc that serves a name, so that its values can be served; undefined without one. */
  readonly zoneOf: (name: string) => Promise<string | undefined>
  /**
   * Resolves when the nameserver of each process and each of the zones' nameservers that answers has the values.
   * @throws ApiError `upstream_error` if the provider fails; CannotProve for a value that cannot be served
   */
  readonly publish: (challenges: readonly DnsChallenge[], signal: AbortSignal) => Promise<void>
  /** Ends values. A failure is logged; the job of the area repeats it. */
  readonly withdraw: (challenges: readonly DnsChallenge[]) => Promise<void>
  /** Extends the values of this process, and ends those that an interrupted order has left. */
  readonly job: Job
}

interface ChallengeDependencies {
  readonly stores: Pick<DnsStores, 'challenges' | 'zones'>
  readonly dns: Dns
  readonly withZoneLock: WithZoneLock
  readonly seenAtNameservers: SeenAtNameservers
  /** Undefined for an external provider. */
  readonly nameserverProcess: NameserverProcess | undefined
  readonly log: Pick<Logger, 'warn'>
}

/** Milliseconds for which a value is served after its process was killed. */
const lifeMs = 60_000

/** How often the values of orders that are under way are extended, and those of others are removed. */
const cleaningEveryMs = 15_000

export function dnsChallenges(dependencies: ChallengeDependencies): DnsChallenges {
  const { stores, seenAtNameservers, nameserverProcess, log } = dependencies
  const { challenges } = stores
  const inZone = selectInZone(dependencies)
  /** The values of orders of this process. */
  const own = new Set<string>()

  const clean = (zone: string, close: () => Promise<void>) =>
    inZone(zone, async (publish) => {
      await close()
      await publish()
      await challenges.forgetEnded(zone)
    })

  return {
    zoneOf: challenges.zoneOf,

    publish: async (given, signal) => {
      for (const { value } of given) own.add(value)
      const opened: LoadedZone[] = []
      for (const [zone, values] of await byZone(challenges, given)) {
        signal.throwIfAborted()
        await inZone(zone, async (publish) => {
          const serial = await challenges.open(zone, values, Date.now() + lifeMs)
          if (serial !== undefined) opened.push({ zone, serial })
          await publish()
        })
        await requireServed(stores, zone, values)
      }
      await Promise.all([nameserverProcess?.waitForOthers(opened, signal), seenAtNameservers(given, signal)])
    },

    withdraw: async (given) => {
      for (const { value } of given) own.delete(value)
      try {
        await inEachZone(await byZone(challenges, given), ([zone, placed]) => {
          const values = placed.map(({ value }) => value)
          return clean(zone, () => challenges.close(zone, values))
        })
      } catch (error) {
        log.warn({ err: error }, 'values of a challenge could not be removed and end later')
      }
    },

    job: {
      name: 'dns.challenges',
      everyMs: cleaningEveryMs,
      // Not under a lock: those of zones are locks of the database, too. A zone that two processes clean is clean.
      runsIn: 'every process',
      failureMessage: 'values of challenges could not be extended or removed',
      run: async (signal) => {
        if (own.size > 0) await challenges.extend([...own], Date.now() + lifeMs)
        await inEachZone(await challenges.zonesToClean(), async (zone) => {
          if (!signal.aborted) await clean(zone, () => challenges.closeExpired(zone))
        })
      },
    },
  }
}

/** Handles all zones, also after one that fails, such as at a provider. @throws the first error, at the end */
async function inEachZone<T>(zones: Iterable<T>, handle: (zone: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  // One after another: a provider limits its requests.
  for (const zone of zones)
    await handle(zone).catch((error: unknown) => {
      errors.push(error)
    })
  if (errors.length > 0) throw errors[0]
}

/** The values by zone. @throws CannotProve for a name that no zone of svc has */
async function byZone({ zoneOf }: Pick<ChallengeStore, 'zoneOf'>, given: readonly DnsChallenge[]) {
  const placed = []
  // One by one: an order has few names.
  for (const challenge of given) {
    const zone = await zoneOf(challenge.name)
    if (zone === undefined) throw new CannotProve(`svc serves no zone of ${challenge.name}.`)
    placed.push({ ...challenge, zone, host: hostOf(challenge.name, zone) })
  }
  return groupBy(placed, ({ zone }) => zone)
}

/** @throws CannotProve for a zone that is not served, and for a name that is delegated or an alias */
async function requireServed({ zones }: Pick<DnsStores, 'zones'>, zone: string, values: readonly DnsChallenge[]) {
  const { rrsets, isDeleted } = await zones.contents(zone)
  if (isDeleted === true) throw new CannotProve(`svc does not serve the zone ${zone} now.`)
  const delegated = rrsets.find(
    ({ type, name }) =>
      type === 'NS' && name !== zone && values.some((value) => value.name === name || value.name.endsWith(`.${name}`)),
  )
  if (delegated !== undefined)
    throw new CannotProve(
      `${delegated.name} is delegated (NS), so svc cannot answer a challenge there: remove its NS records.`,
    )
  const served = new Set(rrsets.filter(({ type }) => type === 'TXT').map(({ name }) => name))
  const aliased = values.find(({ name }) => !served.has(name))
  if (aliased !== undefined)
    throw new CannotProve(`${aliased.name} is an alias (CNAME), so svc cannot answer a challenge there: remove it.`)
}

const hostOf = (name: string, zone: string): string => (name === zone ? '@' : name.slice(0, -zone.length - 1))

/** Runs a change of a zone that no other one of the provider overlaps; `publish` serves the stored zone. */
type InZone = (zone: string, change: (publish: () => Promise<void>) => Promise<void>) => Promise<void>

function selectInZone({ dns, stores: { zones }, withZoneLock }: ChallengeDependencies): InZone {
  if (isProvider(dns))
    return (zone, change) => withZoneLock(zone, ({ work }) => change(() => publishStored(zones, dns, zone, work)))
  return (zone, change) =>
    change(async () => {
      const stored = await zones.contents(zone)
      await (stored.isDeleted === true
        ? dns.removeZone(zone, stored.serial)
        : (dns.loadZone?.(stored) ?? dns.setZone(stored)))
    })
}

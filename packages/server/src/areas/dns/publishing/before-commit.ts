import type { Deadline } from '../../../ports/dns/deadline.js'
import { OutcomeUnknown, type DnsProvider, type RRset } from '../../../ports/dns/port.js'
import type { Account } from '../../../shared/account.js'
import { timestamp } from '../../../shared/timestamp.js'
import { zoneWithChallenges } from '../challenges/overlay.js'
import { servedRRsets } from '../challenges/served.js'
import type { RecordPlan, RecordsPlan, ZonePlan } from '../records/plan.js'
import { changesNothing, countsOf, type ImportPlan } from '../zone-file/import-store.js'
import { rrsetsOf } from '../records/rrset.js'
import { nextSerial } from '../zones/version-store.js'
import { deletionsBeforeCommit } from './before-commit-deletions.js'
import { claimsBeforeCommit } from './before-commit-claims.js'
import type { ExpectedChange } from './outcome-store.js'
import { publishThenCommit, type ProviderWrite } from './publish-then-commit.js'
import type { Publisher, ReportRestoreFailed } from '../publisher.js'
import { publishStored } from './stored-zone.js'
import type { DnsStores } from '../stores.js'
import type { WithZoneLock } from './zone-lock.js'

export interface BeforeCommitDependencies {
  readonly stores: DnsStores
  readonly provider: DnsProvider
  readonly withZoneLock: WithZoneLock
  readonly reportRestoreFailed: ReportRestoreFailed
}

/** A method of a store that plans a change, or writes it. */
type WriteOf<G, P> = (account: Account, zone: string, given: G, now: string) => Promise<P>

/**
 * Publishes changes at an external provider, then commits them, under the zone's lock. If the provider fails, nothing is
 * committed; if the commit fails, the provider is restored from the database.
 */
export function beforeCommit(dependencies: BeforeCommitDependencies): Publisher {
  const { stores, withZoneLock, reportRestoreFailed } = dependencies
  const { records, updates, imports, reverts } = stores

  const applyImport: Publisher['applyImport'] = (account, zone, read, options) =>
    withZoneLock(zone, async (time) => {
      const plan = await imports.plan(account, zone, read, options)
      if (changesNothing(plan)) return plan
      const write = importWrite(dependencies, plan, () => imports.apply(account, zone, read, options))
      return publishThenCommit(write, time, reportRestoreFailed)
    })

  async function applyPlan<P extends RecordPlan | RecordsPlan>(
    account: Account,
    zone: string,
    plan: () => Promise<P>,
    commit: () => Promise<P>,
  ): Promise<P> {
    // Before the lock, so that other accounts cannot hold up the holder of the zone.
    await records.requireVerified(account, zone)
    return withZoneLock(zone, async (time) => {
      const planned = await plan()
      if (planned.step === 'none') return planned
      return publishThenCommit(planWrite(dependencies, planned, commit), time, reportRestoreFailed)
    })
  }

  const planned =
    <G, P extends RecordPlan | RecordsPlan>(plan: WriteOf<G, P>, commit: WriteOf<G, P>) =>
    (account: Account, zone: string, given: G): Promise<P> => {
      const now = timestamp(Date.now())
      return applyPlan(
        account,
        zone,
        () => plan(account, zone, given, now),
        () => commit(account, zone, given, now),
      )
    }

  return {
    applyChange: planned(records.plan, records.applyAlone),
    replaceRRset: planned(records.planRRset, records.replaceRRset),
    applyChanges: planned(records.planChanges, records.applyChanges),
    applyUpdate: planned(updates.plan, updates.apply),
    revert: planned(reverts.plan, reverts.apply),
    applyImport,
    importRecords: async (...given) => countsOf(await applyImport(...given)),

    ...claimsBeforeCommit(dependencies),
    ...deletionsBeforeCommit(dependencies),
  }
}

function planWrite<P extends RecordPlan | RecordsPlan>(
  { stores: { outcomes, zones, challenges }, provider }: BeforeCommitDependencies,
  plan: P,
  commit: () => Promise<P>,
): ProviderWrite<P> {
  const { zone, before, after } = plan
  const serial = nextSerial(plan.serial)
  const publish = async (rrsets: readonly RRset[], deadline: Deadline | undefined) =>
    provider.publish({ zone, serial, rrsets: await servedRRsets(challenges, zone, rrsets) }, deadline)
  return {
    zone,
    publish: (deadline) => publish(after, deadline),
    // One request, which takes effect whole or not at all: restore only if its outcome is unknown.
    unpublish: async (failure, deadline) => {
      if (failure instanceof OutcomeUnknown) await publish(before, deadline)
    },
    commit,
    // Another serial means that another process has changed the zone: this one must have lost the lock.
    isPublished: (committed) => committed.serial === serial,
    findCommitted: async () => ((await outcomes.wasCommitted(expectedOf(plan))) ? { ...plan, serial } : undefined),
    // Only the RRsets that were touched, in one request. publishStored would send the whole zone, of up to 10,000 records.
    restore: async (deadline, committed) => {
      const { rrsets } = await zones.contents(zone)
      // Without the lock, another process may have moved the record: then the commit touched other RRsets than the plan.
      const touched = new Map([...before, ...(committed?.before ?? [])].map((set) => [`${set.name} ${set.type}`, set]))
      const stored = (set: RRset) => rrsets.find(({ name, type }) => name === set.name && type === set.type)
      await publish(
        Array.from(touched.values(), (set) => stored(set) ?? { ...set, records: [] }),
        deadline,
      )
    },
  }
}

/** The provider gets the whole zone, in several requests if it is large: a failure between them needs a restore. */
function importWrite(
  { stores: { outcomes, zones, challenges }, provider }: BeforeCommitDependencies,
  plan: ImportPlan,
  commit: () => Promise<ImportPlan>,
): ProviderWrite<ImportPlan> {
  const { zone, after } = plan
  const serial = nextSerial(plan.serial)
  return {
    zone,
    publish: async (deadline) => {
      const rrsets = zoneWithChallenges(zone, rrsetsOf(zone, after), await challenges.openOf(zone))
      return provider.setZone({ zone, serial, rrsets }, deadline)
    },
    commit,
    isPublished: (committed) => committed.serial === serial,
    findCommitted: async () => {
      const isCommitted = await outcomes.wasCommitted(expectedOfImport(plan))
      return isCommitted ? { ...plan, serial } : undefined
    },
    restore: (deadline) => publishStored(zones, provider, zone, deadline),
  }
}

function expectedOf({ zone, zoneId, serial, removed, added }: ZonePlan): ExpectedChange {
  const kept = new Set(added.map(({ id }) => id))
  const deleted = removed.map(({ id }) => id).filter((id) => !kept.has(id))
  return { zone, zoneId, serial, written: added, deleted }
}

function expectedOfImport({ zone, zoneId, serial, after, deleted }: ImportPlan): ExpectedChange {
  return { zone, zoneId, serial, written: after, deleted: deleted.map(({ id }) => id) }
}

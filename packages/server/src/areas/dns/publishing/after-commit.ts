import type { Dns } from '../../../ports/dns/port.js'
import { timestamp } from '../../../shared/timestamp.js'
import { servedRRsets } from '../challenges/served.js'
import type { Claim, Claimed } from '../claims/claim.js'
import type { Publisher } from '../publisher.js'
import type { RecordPlan, RecordsPlan } from '../records/plan.js'
import type { DnsStores } from '../stores.js'
import type { NotePublished } from './zone-follower.js'

interface AfterCommitDependencies {
  readonly stores: Pick<
    DnsStores,
    'records' | 'updates' | 'reverts' | 'claims' | 'deletions' | 'imports' | 'zones' | 'challenges'
  >
  /** Undefined in an operator's command: the running server follows the database. */
  readonly nameserver: Pick<Dns, 'publish' | 'setZone'> | undefined
  /** Undefined like `nameserver`: the server's follower loads the change. */
  readonly notePublished: NotePublished | undefined
}

/** Beyond so many RRsets, the whole zone is loaded, in slices: to encode them at once would block the event loop. */
const rrsetsMax = 1000

/** Publishes committed changes in the embedded nameserver: a change whose commit fails is never served. */
export function afterCommit({ stores, nameserver, notePublished }: AfterCommitDependencies): Publisher {
  const { records, updates, reverts, claims, deletions, imports, zones, challenges } = stores

  async function publishZone({ claim, isNewlyVerified }: Claimed): Promise<Claim> {
    if (isNewlyVerified) await nameserver?.setZone(await zones.contents(claim.zone))
    return claim
  }

  async function publishPlan<P extends RecordPlan | RecordsPlan>(plan: P): Promise<P> {
    if (plan.step === 'none') return plan
    const { zone, serial } = plan
    if (plan.after.length > rrsetsMax) {
      await nameserver?.setZone(await zones.contents(zone))
      notePublished?.(zone, serial)
      return plan
    }
    // After the commit, so that a value that was opened before it is not left out.
    const after = await servedRRsets(challenges, zone, plan.after)
    // If another process has just created the zone, the nameserver does not know it yet: load the whole zone.
    await nameserver
      ?.publish({ zone, serial, rrsets: after })
      .catch(async () => nameserver.setZone(await zones.contents(zone)))
    notePublished?.(zone, serial)
    return plan
  }

  return {
    applyChange: async (account, zone, change) =>
      publishPlan(await records.apply(account, zone, change, timestamp(Date.now()))),

    replaceRRset: async (account, zone, wanted) =>
      publishPlan(await records.replaceRRset(account, zone, wanted, timestamp(Date.now()))),

    applyChanges: async (account, zone, changes) =>
      publishPlan(await records.applyChanges(account, zone, changes, timestamp(Date.now()))),

    applyUpdate: async (account, zone, update) =>
      publishPlan(await updates.apply(account, zone, update, timestamp(Date.now()))),

    revert: async (account, zone, revert) =>
      publishPlan(await reverts.apply(account, zone, revert, timestamp(Date.now()))),

    // For the operator's command only: the zone follower loads the zone.
    applyImport: (account, zone, read, options) => imports.apply(account, zone, read, options),

    async importRecords(account, zone, read, options) {
      const counts = await imports.applyCounted(account, zone, read, options)
      await nameserver?.setZone(await zones.contents(zone))
      notePublished?.(zone, counts.serial)
      return counts
    },

    claim: async (account, zone, terms) => publishZone(await claims.claim(account, zone, terms)),
    verify: async (account, proven, terms) => publishZone(await claims.verify(account, proven, terms)),
    assign: async (account, zone) => publishZone(await claims.assign(account, zone)),

    // For the operator's commands only: the zone follower removes the zone.
    deleteZone: (zone) => deletions.deleteZone(zone),
    removeFromZone: ({ id }, zone) => deletions.removeFromZone(zone, id),
  }
}

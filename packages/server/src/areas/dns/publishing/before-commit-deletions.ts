import { ProviderFailed, type DnsProvider } from '../../../ports/dns/port.js'
import type { Publisher, ReportRestoreFailed } from '../publisher.js'
import type { DnsStores } from '../stores.js'
import { publishThenCommit } from './publish-then-commit.js'
import { publishStored } from './stored-zone.js'
import type { WithZoneLock, WriteTime } from './zone-lock.js'
import type { ZoneStore } from './zone-store.js'

interface ProviderDeletionDependencies {
  readonly stores: Pick<DnsStores, 'deletions'> & { readonly zones: Pick<ZoneStore, 'has' | 'contents' | 'serial'> }
  readonly provider: Pick<DnsProvider, 'markOf' | 'setZone' | 'removeZone'>
  readonly withZoneLock: WithZoneLock
  readonly reportRestoreFailed: ReportRestoreFailed
}

/** Deletions of zones of an external provider. The provider removes the zone before the commit. */
export function deletionsBeforeCommit({
  stores: { deletions, zones },
  provider,
  withZoneLock,
  reportRestoreFailed,
}: ProviderDeletionDependencies): Pick<Publisher, 'deleteZone' | 'removeFromZone'> {
  async function remove(zone: string, commit: () => Promise<void>, time: WriteTime): Promise<void> {
    if ((await provider.markOf(zone, time.work)) === 'other')
      throw new ProviderFailed("the zone is marked as another installation's", zone)
    await publishThenCommit<boolean>(
      {
        zone,
        publish: async (deadline) => provider.removeZone(zone, (await zones.contents(zone)).serial, deadline),
        commit: () => commit().then(() => true),
        isPublished: (isDeleted) => isDeleted,
        findCommitted: async () => ((await zones.has(zone)) ? undefined : true),
        restore: (deadline) => publishStored(zones, provider, zone, deadline),
      },
      time,
      reportRestoreFailed,
    )
  }

  return {
    deleteZone: (zone) => withZoneLock(zone, (time) => remove(zone, () => deletions.deleteZone(zone), time)),

    removeFromZone: ({ id }, zone) =>
      withZoneLock(zone, async (time) => {
        const commit = () => deletions.removeFromZone(zone, id)
        // The records of another holder stay served. A zone of another installation is not this account's at the provider.
        const isServed = (await deletions.isHolder(zone, id)) && (await provider.markOf(zone, time.work)) !== 'other'
        await (isServed ? remove(zone, commit, time) : commit())
      }),
  }
}

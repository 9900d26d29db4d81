import type { Logger } from 'pino'
import { Catalog } from '../catalog/catalog.js'
import type { ApexRecords } from '../embedded/apex-records.js'
import type { Journals } from '../embedded/zone-journal.js'
import type { ZoneMap } from '../embedded/zone-map.js'
import type { Zones } from '../embedded/zones.js'
import { keyOf as zoneKeyOf } from '../wire/names.js'
import { AccountNotifier } from '../notify/account-notifier.js'
import { Notifier } from '../notify/notifier.js'
import { asksForSoa } from '../protocol/kind.js'
import type { CheckedMessage, ProtocolHandlers } from '../protocol/messages.js'
import { mayTransferAll } from './may-transfer.js'
import type { SecondariesCounters, SecondariesOptions } from './options.js'
import { transfers, type ServedZone } from './transfers.js'

interface SecondariesDependencies extends SecondariesOptions {
  /** With all zones of the start. */
  readonly zones: Zones
  readonly apex: ApexRecords
  readonly journals: Journals
  readonly log: Logger
}

const uncounted: SecondariesCounters = { transfer: () => undefined, notify: () => undefined }

/** What other nameservers need to serve copies of all zones: transfers, NOTIFY and the catalog. */
export class Secondaries {
  readonly handlers: Pick<ProtocolHandlers, 'transfer' | 'answer'>
  private readonly catalog: Catalog
  private readonly notifier: Notifier
  private readonly accountNotifier: AccountNotifier | undefined

  constructor(dependencies: SecondariesDependencies) {
    const { zones, apex, journals, log, catalog, secondaries, accounts, keyOf, count = uncounted } = dependencies
    // Without secondaries of the configuration, the first transfer begins the recording.
    journals.isRecording ||= secondaries.length > 0
    this.notifier = new Notifier({ secondaries, catalog: catalog.name, keyOf, count: count.notify, log })
    this.accountNotifier =
      accounts &&
      new AccountNotifier({
        secondaries: accounts,
        zone: (name) => zones.get(zoneKeyOf(name)),
        zones: () => zones.all(),
        log,
      })
    this.catalog = new Catalog({
      ...catalog,
      journals,
      log,
      onChange: (name) => {
        this.notifier.changed(name)
      },
    })
    const find = (key: string): ServedZone | undefined => {
      if (key === this.catalog.key) return this.ofCatalog()
      const zone = zones.get(key)
      return zone && { zone, apex, isPrivate: false }
    }
    const transfer = transfers({ find, journals, count: count.transfer })
    this.handlers = {
      transfer: (message, send) => {
        this.heard(message, true)
        return transfer(message, send)
      },
      answer: (message) => {
        this.heard(message, asksForSoa(message.packet))
        return this.answer(message)
      },
    }
    // Changes that were made while no server was running, such as those of commands, have not been told.
    for (const { name, owner } of zones.all()) this.served(name, owner)
    this.catalog.start()
  }

  /** Notes that a zone is served with other contents. */
  changed(zone: Pick<ZoneMap, 'name' | 'owner' | 'holder'>): void {
    this.served(zone.name, zone.owner)
    this.accountNotifier?.changed(zone)
  }

  removed(zone: string): void {
    this.catalog.delete(zone)
  }

  async close(): Promise<void> {
    await Promise.all([this.catalog.close(), this.notifier.close(), this.accountNotifier?.close()])
  }

  private served(name: string, owner: ZoneMap['owner']): void {
    this.catalog.set({ zone: name, owner })
    this.notifier.changed(name)
  }

  private heard({ signer, client }: CheckedMessage, isOfSecondary: boolean): void {
    if (signer.kind === 'operator') this.notifier.heard(signer.name)
    else if (signer.kind === 'account') this.accountNotifier?.heard(signer.caller, client, isOfSecondary)
  }

  private ofCatalog(): ServedZone | undefined {
    const { zone, apex } = this.catalog
    return zone && { zone, apex, isPrivate: true }
  }

  private answer({ packet, client, signer }: CheckedMessage): Buffer | undefined {
    return mayTransferAll(signer) ? this.catalog.answer(packet, client) : undefined
  }
}

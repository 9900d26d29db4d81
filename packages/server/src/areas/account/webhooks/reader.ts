import { groupBy } from '@svc/contract/group-by'
import type { Database } from '../../../db/port.js'
import type { ShownEvent } from '../../../journal/events.js'
import { EventFollower } from '../../../journal/follower.js'
import type { Job } from '../../../shared/job.js'
import { Wakeup } from '../../../shared/wakeup.js'
import type { NewDelivery, OutboxStore, Subscription } from './outbox-store.js'
import { isChosen } from './webhook.js'

/** The interval in which events of other processes are read. */
const everyMs = 1_000

/** Writes of this process that follow each other closely share a read. */
const afterWriteMs = 50

/** The interval while events wait for an open transaction, which usually ends soon. */
const whileHoldingMs = 25

/** After this many ids without an event for a webhook, the position is stored: a restart does not read them again. */
const unsavedMax = 5_000

interface EventReaderOptions {
  readonly db: Pick<Database, 'one' | 'all' | 'commitNumber' | 'writes'>
  readonly outbox: OutboxStore
  /** Called when deliveries have been added. */
  readonly onAdded: () => void
}

/**
 * Reads the events of all accounts behind a stored position, and adds the deliveries of those that webhooks have chosen. So a change costs
 * nothing for them, and none is missed when a process ends. Without a webhook it asks once a second whether there is one.
 */
export class EventReader {
  readonly job: Job
  readonly #wakeup = new Wakeup()
  readonly #endWrites: () => void
  #follower: EventFollower | undefined
  #saved = 0
  #commit: number | undefined
  #soon: NodeJS.Timeout | undefined

  constructor(private readonly options: EventReaderOptions) {
    this.#endWrites = options.db.writes.listen(() => {
      if (this.#follower !== undefined) this.#readSoon(afterWriteMs)
    })
    this.job = {
      name: 'account.webhook-events',
      everyMs,
      runsIn: 'every process',
      wakeup: this.#wakeup,
      failureMessage: 'events for webhooks could not be read',
      run: () => this.#run(),
    }
  }

  /** Reads new events at once: a webhook has been added. */
  readonly wake = (): void => {
    this.#wakeup.call()
  }

  stop(): void {
    this.#endWrites()
    clearTimeout(this.#soon)
  }

  async #run(): Promise<void> {
    // The number is read before the rows: a later commit makes it differ.
    const commit = this.options.db.commitNumber()
    if (commit !== undefined && commit === this.#commit) return
    const place = await this.options.outbox.place()
    if (place === undefined) this.#follower = undefined
    else await this.#read(place)
    if (this.#follower?.holding === undefined) this.#commit = commit
  }

  async #read(place: number): Promise<void> {
    const follower = (this.#follower ??= this.#beginAt(place))
    try {
      await follower.read()
    } catch (error) {
      // Events whose deliveries are not stored yet are read again.
      this.#follower = undefined
      throw error
    }
    const { holding } = follower
    // After that, once a second.
    if (holding !== undefined && holding.ms < everyMs) this.#readSoon(whileHoldingMs)
  }

  #beginAt(place: number): EventFollower {
    this.#saved = place
    return new EventFollower({
      db: this.options.db,
      isWanted: () => true,
      begin: () => Promise.resolve(place),
      onEvents: (events) => this.#add(events),
    })
  }

  #readSoon(ms: number): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.#wakeup.call()
    }, ms).unref()
  }

  async #add(events: readonly ShownEvent[]): Promise<void> {
    const { outbox, onAdded } = this.options
    const through = this.#follower?.position ?? 0
    const webhooks = await outbox.subscriptions([...new Set(events.map(({ accountId }) => accountId))])
    const deliveries = deliveriesOf(events, webhooks)
    if (deliveries.length === 0 && through - this.#saved < unsavedMax) return
    await outbox.add(deliveries, through)
    this.#saved = through
    if (deliveries.length > 0) onAdded()
  }
}

/** In the order of the events. */
function deliveriesOf(events: readonly ShownEvent[], webhooks: readonly Subscription[]): NewDelivery[] {
  const byAccount = groupBy(webhooks, ({ accountId }) => accountId)
  return events.flatMap((event) =>
    (byAccount.get(event.accountId) ?? [])
      .filter((webhook) => event.id > webhook.beginsAfter && isChosen(webhook, event))
      .map(({ id }) => ({ webhookId: id, eventId: event.id })),
  )
}

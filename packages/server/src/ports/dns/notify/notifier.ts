import type { Logger } from 'pino'
import { throttledLog } from '../../../shared/throttled-log.js'
import type { KeyStore } from '../protocol/messages.js'
import type { NotifyResult, Secondary } from '../transfers/options.js'
import { SecondaryNotifier, UnknownKey } from './secondary-notifier.js'

/** Changes of a zone within this time are one message, in milliseconds. */
const coalesceMs = 250

const unknownKey = 'a secondary is not told about changes until its key exists: svc dns key add makes it'

export interface NotifierOptions {
  readonly secondaries: readonly Secondary[]
  /** The name of the catalog. */
  readonly catalog: string
  readonly keyOf: KeyStore['byName']
  readonly count: (result: NotifyResult) => void
  readonly log: Logger
}

/**
 * Tells the secondaries which zones have changed. Every server on a database does: a secondary may have any of them as its primary, and
 * must ask after that one serves the change.
 */
export class Notifier {
  private readonly changedZones = new Set<string>()
  private readonly notifiers: readonly SecondaryNotifier[]
  private timer: NodeJS.Timeout | undefined

  constructor({ secondaries, catalog, keyOf, count, log }: NotifierOptions) {
    this.notifiers = secondaries.map((secondary) => {
      const { address, key } = secondary
      const logFailure = throttledLog(log, 'a secondary could not be told that a zone has changed', { everyMs: 60_000 })
      let isKeyMissing = false
      return new SecondaryNotifier({
        secondary,
        keyOf,
        urgent: catalog,
        onResult: (result, zone, problem) => {
          count(result)
          const isUnknownKey = problem instanceof UnknownKey
          if (isUnknownKey && !isKeyMissing) log.warn({ secondary: address, key }, unknownKey)
          else if (problem !== undefined && !isUnknownKey) logFailure(problem, { secondary: address, zone })
          isKeyMissing = isUnknownKey
        },
      })
    })
  }

  /** Notes that a secondary has sent a message that is signed with its key. @param keyName in lower case, without the last dot */
  heard(keyName: string): void {
    for (const notifier of this.notifiers) if (notifier.keyName === keyName) notifier.heard()
  }

  /** Notes that a zone has changed. @param zone without a trailing dot */
  changed(zone: string): void {
    if (this.notifiers.length === 0) return
    this.changedZones.add(zone)
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      for (const notifier of this.notifiers) notifier.add(this.changedZones)
      this.changedZones.clear()
    }, coalesceMs)
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    await Promise.all(this.notifiers.map((notifier) => notifier.close()))
  }
}

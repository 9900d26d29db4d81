import type { Logger } from 'pino'
import { throttledLog } from '../../../shared/throttled-log.js'
import type { KeyStore } from '../protocol/messages.js'
import type { NotifyResult, Secondary } from '../transfers/options.js'
import { connectedLink } from './link.js'
import { SecondaryNotifier, type Signing } from './secondary-notifier.js'

/** Changes of a zone within this time are one message, in milliseconds. */
export const coalesceMs = 250

const unknownKey = 'a secondary is not told about changes until its key exists: svc dns key add makes it'

/** The operator has not created the key of the secondary, or has removed it. */
class UnknownKey extends Error {}

export interface NotifierOptions {
  readonly secondaries: readonly Secondary[]
  /** The name of the catalog. */
  readonly catalog: string
  readonly keyOf: KeyStore['byName']
  readonly count: (result: NotifyResult) => void
  readonly log: Logger
}

interface Told {
  /** In lower case, without the last dot; undefined for unsigned messages. */
  readonly keyName: string | undefined
  readonly notifier: SecondaryNotifier
}

/**
 * Tells the secondaries of the operator which zones have changed. Every server on a database does: a secondary may have any of them as its
 * primary, and must ask after that one serves the change.
 */
export class Notifier {
  private readonly changedZones = new Set<string>()
  private readonly told: readonly Told[]
  private timer: NodeJS.Timeout | undefined

  constructor({ secondaries, catalog, keyOf, count, log }: NotifierOptions) {
    this.told = secondaries.map((secondary) => {
      const { address, port, key } = secondary
      const logFailure = throttledLog(log, 'a secondary could not be told that a zone has changed', { everyMs: 60_000 })
      let isKeyMissing = false
      const notifier = new SecondaryNotifier({
        open: connectedLink(secondary),
        signing: () => signingWith(key, keyOf),
        urgent: catalog,
        onResult: ({ result, zone, problem }) => {
          count(result)
          const isUnknownKey = problem instanceof UnknownKey
          if (isUnknownKey && !isKeyMissing) log.warn({ secondary: address, port, key }, unknownKey)
          else if (problem !== undefined && !isUnknownKey) logFailure(problem, { secondary: address, port, key, zone })
          isKeyMissing = isUnknownKey
        },
      })
      return { keyName: key, notifier }
    })
  }

  /** Notes that a secondary has sent a message that is signed with its key. @param name in lower case, without the last dot */
  heard(name: string): void {
    for (const { keyName, notifier } of this.told) if (keyName === name) notifier.heard()
  }

  /** Notes that a zone has changed. @param zone without a trailing dot */
  changed(zone: string): void {
    if (this.told.length === 0) return
    this.changedZones.add(zone)
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      for (const { notifier } of this.told) notifier.add(this.changedZones)
      this.changedZones.clear()
    }, coalesceMs)
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    await Promise.all(this.told.map(({ notifier }) => notifier.close()))
  }
}

async function signingWith(name: string | undefined, keyOf: KeyStore['byName']): Promise<Signing> {
  const key = name === undefined ? undefined : await keyOf(name)
  if (name !== undefined && key === undefined) throw new UnknownKey(name)
  return { key }
}

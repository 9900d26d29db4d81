import { createHash } from 'node:crypto'
import type { Database } from '../db/port.js'
import { unit } from '../db/unit.js'
import { hourMs } from '../shared/days.js'
import { networkOf } from '../shared/network-of.js'
import type { AccountEvent } from './event-store.js'
import { recordReadEvents } from './read-event-store.js'

/** How many reads of the last hour a process remembers. An older one is then written again. */
const rememberedMax = 10_000

const record = unit(import.meta, 'recordReadEvent', async (tx, event: AccountEvent) => recordReadEvents(tx, [event]))

interface Remembered {
  /** On the clock of `clock`. */
  readonly since: number
  /** Settles with the transaction of the event. */
  readonly written: Promise<void>
}

/** A read, before it has its time. */
export interface ReadEvent extends Omit<AccountEvent, 'at'> {
  /** Differs when the thing has changed: the read of a new secret is never taken for one of the secret before. */
  readonly state: string
}

/** What tells two reads apart: a token that reads in another network is another event. */
function keyOf({ accountId, area, action, object, actor, after, state }: ReadEvent): string {
  const network = actor.ip === null ? null : networkOf(actor.ip)
  const read = [accountId, area, action, object, actor.kind, actor.id, actor.name, network, after, state]
  return createHash('sha256').update(JSON.stringify(read)).digest('base64')
}

export type ReadJournal = ReturnType<typeof readJournal>

/**
 * Writes events of reads. A reader that repeats the same read is one event an hour for each process, so that a script that reads in a loop
 * does not displace other events.
 * @param clock milliseconds; never set back, unlike the clock of the machine
 */
export function readJournal(db: Pick<Database, 'write'>, clock: () => number = () => performance.now()) {
  const remembered = new Map<string, Remembered>()

  /** The oldest are the first ones. */
  function forget(before: number): void {
    for (const [key, { since }] of remembered) {
      if (since > before && remembered.size < rememberedMax) return
      remembered.delete(key)
    }
  }

  return {
    /** Resolves when the event is durable: call it before the secret is given out. @throws the error of the database */
    async note(read: ReadEvent): Promise<void> {
      const since = clock()
      forget(since - hourMs)
      const key = keyOf(read)
      const earlier = remembered.get(key)
      if (earlier !== undefined) return earlier.written
      const { state: _, ...event } = read
      const written = db.write(record, { ...event, at: Date.now() })
      remembered.set(key, { since, written })
      try {
        await written
      } catch (error) {
        remembered.delete(key)
        throw error
      }
    },
  }
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../../db/port.js'
import { isNewerSerial } from '../../../ports/dns/serial.js'
import { processStore, type LoadedZone } from './process-store.js'

/** Milliseconds for which an order waits for a process that does not load its values: it was killed, or it is held up. */
const defaultWaitMs = 2_000

const lookEveryMs = 25

/** This process, as those of the others on the database that have a nameserver of their own know it. */
export interface NameserverProcess {
  /** Notes zones with values of challenges that this process has loaded. */
  readonly noteLoaded: (zones: readonly LoadedZone[]) => Promise<void>
  /**
   * Resolves when each other process has loaded the zones, at these serials or newer ones. A process that has not after two seconds is
   * not waited for, until it loads a zone again.
   * @throws the reason of the signal
   */
  readonly waitForOthers: (zones: readonly LoadedZone[], signal: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

/** Call it before the zones are read, so that this process sees the changes of each order that does not wait for it. */
export async function startNameserverProcess(
  db: Database,
  log: Pick<Logger, 'warn'>,
  waitMs = defaultWaitMs,
): Promise<NameserverProcess> {
  const store = processStore(db)
  const own = randomUUID()
  await store.add(own)
  return {
    noteLoaded: (zones) => store.note(own, zones),

    waitForOthers: async (zones, signal) => {
      const names = zones.map(({ zone }) => zone)
      // One that starts now reads the values with all zones.
      let behind = (await store.all()).filter((id) => id !== own)
      const until = performance.now() + waitMs
      while (behind.length > 0 && performance.now() < until) {
        const loaded = new Map(
          (await store.loaded(names)).map(({ process, zone, serial }) => [`${process} ${zone}`, serial]),
        )
        behind = behind.filter((id) => zones.some(({ zone, serial }) => isBehind(loaded.get(`${id} ${zone}`), serial)))
        if (behind.length > 0) await sleep(lookEveryMs, undefined, { signal })
      }
      if (behind.length === 0) return
      await store.remove(behind)
      log.warn(
        { processes: behind.length },
        'an order does not wait for a server that has not loaded its values in time: it was killed, or it is held up',
      )
    },

    close: () =>
      store.remove([own]).catch((error: unknown) => {
        log.warn(
          { err: error },
          'the end of the nameserver could not be noted: the next order waits for it for two seconds',
        )
      }),
  }
}

const isBehind = (loaded: number | undefined, serial: number): boolean =>
  loaded === undefined || isNewerSerial(serial, loaded)

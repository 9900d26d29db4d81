import type { Readable } from 'node:stream'
import { LogCounter, type LogTally } from '../areas/files/edge-log/counter.js'
import { logFormat } from '../areas/files/edge-log/log-lines.js'
import { trafficStore } from '../areas/files/sharing/traffic-store.js'
import type { Config } from '../config/config.js'
import { contentHostOf, hostMatcher } from '../http/content-host.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { explainDatabaseFailure } from '../serve/database-failure.js'
import { stopSignal } from '../serve/signals.js'
import { writeStderr } from '../shared/terminal.js'
import { commandEventStore } from './command-event-store.js'
import { withExistingDatabase } from './with-database.js'

export { logFormat }
export type { LogTally }

const saveEveryMs = 1_000

/** How long the last counts wait for the database: after a signal as long as the server, at the end of the log longer. */
const stopWaitMs = 10_000
const endWaitMs = 60_000

/** Malformed lines are reported at most this often. All are counted. */
const malformedEveryMs = 60_000

/**
 * `svc edge ingest`: adds the requests in the log of Varnish to the counts of the shared files, until the log ends or a signal
 * stops it.
 * @throws OperatorError if svc counts the requests itself, or counts could not be saved; the error of `log`
 */
export async function ingestEdgeLog(
  { database, edge, sitesDomain }: Pick<Config, 'database' | 'edge' | 'sitesDomain'>,
  log: Readable,
): Promise<LogTally> {
  if (edge.kind === 'embedded')
    throw new OperatorError(
      'SVC_EDGE is embedded: svc counts the requests itself. Set SVC_EDGE to the Varnish whose log this is.',
      2,
    )
  // The loop over the log gets its error too, unless the log fails before the loop begins.
  log.on('error', () => undefined)
  const stopping = new AbortController()
  const stop = (error?: Error) => {
    stopping.abort()
    log.destroy(error)
  }
  void stopSignal().then(() => stop())
  const tally = await withExistingDatabase(
    database,
    async (db) => {
      await commandEventStore(db).note('svc edge ingest', '')
      const counter = new LogCounter({
        isContentHost: contentHostMatcher(sitesDomain),
        save: (batch) => trafficStore(db).addForLinks(batch),
        onFailure: (error) =>
          writeStderr(`The counts cannot be saved, and wait: ${messageOf(explainDatabaseFailure(error, database))}\n`),
        onMalformed: malformedNote(),
        saveEveryMs,
      })
      await readUntilStopped(counter, log, stopping.signal)
      if (stopping.signal.aborted) await counter.finish(stopWaitMs)
      else await counter.finish(endWaitMs, stopping.signal)
      return counter.tally
    },
    stop,
  )
  checkTally(tally)
  return tally
}

/** A signal destroys the log, which ends a loop over it with an error. */
async function readUntilStopped(counter: LogCounter, log: Readable, signal: AbortSignal): Promise<void> {
  try {
    await counter.read(log, signal)
  } catch (error) {
    if (!signal.aborted || log.errored !== null) throw error
  }
}

function contentHostMatcher(sitesDomain: string): (host: string) => boolean {
  const matches = hostMatcher(contentHostOf(sitesDomain))
  return (host) => matches({ url: '/', headers: { host } })
}

function malformedNote(): (line: string) => void {
  let quietUntil = 0
  return (line) => {
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + malformedEveryMs
    writeStderr(`A line does not have the format of svc edge ingest: ${quoted(line)}\n`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function checkTally({ counted, unknown, other, malformed, unsaved }: LogTally): void {
  if (unsaved > 0) throw new OperatorError(`The counts of ${unsaved} requests could not be saved.`)
  if (malformed > 0 && counted + unknown + other === 0)
    throw new OperatorError(`No line has the format of svc edge ingest. Run varnishncsa -F '${logFormat}'.`)
}

import type { Logger } from 'pino'
import { createApp, type App } from './app.js'
import { describeDatabase, type Config } from './config.js'
import { createLogger } from './log.js'
import { explainDatabaseFailure } from './serve/database-failure.js'
import { endProcess } from './serve/end.js'
import { firstAccountHint } from './serve/first-account.js'
import { listen, listenForMetrics } from './serve/listen.js'
import { endOnBugs, stopSignal } from './serve/signals.js'
import { GracefulStop } from './serve/stop.js'
import { releaseStartUpMemory } from './shared/start-up-memory.js'
import { writeStderr } from './terminal.js'
import { version } from './version.js'

/** By then, modules that are loaded on demand at start are loaded, such as those of the writer thread. */
const settledAfterMs = 1_000

/**
 * Runs the server until a signal stops it, lets running requests finish, and ends the process.
 * @param warnings about the configuration, for the log
 * @throws OperatorError if it cannot start
 */
export async function serve(config: Config, warnings: readonly string[]): Promise<void> {
  const { log, flush, close } = createLogger(config.logLevel)
  endOnBugs(log, flush)
  for (const warning of warnings) log.warn(warning)
  // From here on a signal stops the server in good order, also during the start.
  const signal = stopSignal()
  const running = await start(config, log)
  // Write the line "listening" at once: the log is buffered, and supervisors wait for this line.
  flush()
  setTimeout(releaseStartUpMemory, settledAfterMs).unref()
  log.info({ signal: await signal }, 'stopping')
  await running.stop()
  log.info('stopped')
  await close()
  await endProcess(0)
}

async function start(config: Config, log: Logger): Promise<GracefulStop> {
  const app = await createApp(config, log).catch((error: unknown) => {
    throw explainDatabaseFailure(error, config.database)
  })
  try {
    return await open(app, config, log)
  } catch (error) {
    await app.close()
    throw error
  }
}

async function open(app: App, config: Config, log: Logger): Promise<GracefulStop> {
  const hint = (await app.hasAccounts()) ? undefined : firstAccountHint(config)
  const closeMetrics = await listenForMetrics(app, config.metrics, log)
  const close = async (giveUp: AbortSignal) => {
    await app.close(giveUp)
    // Last, so that the last requests are still counted.
    await closeMetrics()
  }
  const stop = new GracefulStop({ server: app.http.server, close }, log)
  try {
    const url = await listen(app, config)
    log.info({ url, public_url: config.publicUrl, version, database: describeDatabase(config.database) }, 'listening')
    if (hint !== undefined) writeStderr(hint)
    return stop
  } catch (error) {
    await closeMetrics()
    throw error
  }
}

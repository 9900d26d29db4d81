import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createApp, type App } from './app/app.js'
import { describeDatabase, type Config } from './config/config.js'
import { createLogger } from './serve/log.js'
import { explainDatabaseFailure } from './serve/database-failure.js'
import { endProcess } from './serve/end.js'
import { firstAccountHint, uncertifiedHost } from './serve/first-account.js'
import { listen, listenForMetrics, type Listening } from './serve/listen.js'
import { nameserverWarning } from './serve/nameserver-warning.js'
import { refuseSharedPorts, shownAddresses } from './serve/ports.js'
import { warnOfSecondServer } from './serve/second-server.js'
import { endOnBugs, stopSignal } from './serve/signals.js'
import { GracefulStop } from './serve/stop.js'
import { releaseStartUpMemory } from './shared/start-up-memory.js'
import { writeStderr } from './shared/terminal.js'
import { version } from './shared/version.js'

/** By then, modules that are loaded on demand at start are loaded, such as those of the writer thread. */
const settledAfterMs = 1_000

/** How long a start may go on after a signal to stop. */
const startGraceMs = 2_000

/**
 * Runs the server until a signal stops it, lets running requests finish, and ends the process.
 * @param warnings about the configuration, for the log
 * @throws OperatorError if it cannot start
 */
export async function serve(config: Config, warnings: readonly string[]): Promise<void> {
  const { log, flush, close } = createLogger(config.logLevel)
  endOnBugs(log, flush)
  for (const warning of warnings) log.warn(warning)
  const signal = stopSignal(() => {
    log.info('SIGHUP changes nothing: the log goes to stdout, and settings are read at the start')
    flush()
  })
  const running = await untilSignal(start(config, log), signal)
  // Write the line "listening" at once: the log is buffered, and supervisors wait for this line.
  flush()
  setTimeout(releaseStartUpMemory, settledAfterMs).unref()
  log.info({ signal: await signal }, 'stopping')
  await running?.stop()
  log.info('stopped')
  await close()
  await endProcess(0)
}

/**
 * Waits for the start. After a signal, it gets a few seconds more, so that what it has opened can be closed.
 * @returns undefined if it hangs, for example on a disk or a database that does not answer: like a kill, that loses nothing
 */
async function untilSignal(
  starting: Promise<GracefulStop>,
  signal: Promise<NodeJS.Signals>,
): Promise<GracefulStop | undefined> {
  return Promise.race([starting, signal.then(() => sleep(startGraceMs, undefined))])
}

async function start(config: Config, log: Logger): Promise<GracefulStop> {
  refuseSharedPorts(config)
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
  const code = (await app.hasAccounts()) ? undefined : await app.issueSetupCode()
  const closeMetrics = await listenForMetrics(app, config.metrics, log)
  let release: () => void = () => undefined
  const close = async (giveUp: AbortSignal) => {
    release()
    await app.close(giveUp)
    // Last, so that the last requests are still counted.
    await closeMetrics()
  }
  const stop = new GracefulStop({ server: app.http.server, close }, log)
  try {
    const { url, tlsUrl } = await listen(app, config)
    log.info(addressesOf(app, config, { url, tlsUrl }), 'listening')
    const warning = nameserverWarning(config.dns)
    if (warning !== undefined) log.warn(warning)
    release = warnOfSecondServer(config.database, app.database, log)
    if (code !== undefined) writeStderr(firstAccountHint(config, url, code, uncertifiedHost(config, app.certificates)))
    return stop
  } catch (error) {
    await closeMetrics()
    throw error
  }
}

/** What the line "listening" says. */
const addressesOf = ({ dns }: App, { publicUrl, database, dns: { provider } }: Config, { url, tlsUrl }: Listening) => ({
  url,
  tls_url: tlsUrl,
  public_url: publicUrl,
  dns: provider.kind === 'powerdns' ? provider.url : shownAddresses(dns.addresses ?? []),
  version,
  database: describeDatabase(database),
})

import { setTimeout as sleep } from 'node:timers/promises'
import type { NameserverConfig } from '../config/config.js'
import { endProcess } from '../serve/end.js'
import { createLogger } from '../serve/log.js'
import { endOnBugs, stopSignal } from '../serve/signals.js'
import { releaseStartUpMemory } from '../shared/start-up-memory.js'
import { version } from '../shared/version.js'
import { startNameserver } from './nameserver.js'

/** The end of the process must not wait for a hung disk, in milliseconds. */
const closeMs = 8_000

/** Runs the nameserver until a signal stops it, and ends the process. @throws OperatorError if it cannot start */
export async function runNameserver(config: NameserverConfig): Promise<void> {
  const { log, flush, close } = createLogger(config.logLevel)
  endOnBugs(log, flush)
  const signal = stopSignal()
  const nameserver = await startNameserver(config, log)
  const { addresses, statusPort } = nameserver
  const { zones, catalog } = nameserver.health()
  const { primary } = config
  log.info({ dns: addresses, status_port: statusPort, primary, catalog, zones, version }, 'listening')
  flush()
  releaseStartUpMemory()
  log.info({ signal: await signal }, 'stopping')
  await Promise.race([nameserver.close(), sleep(closeMs)])
  log.info('stopped')
  await close()
  await endProcess(0)
}

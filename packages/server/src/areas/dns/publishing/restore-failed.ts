import type { Logger } from 'pino'
import type { ReportRestoreFailed } from '../publisher.js'

/** Tells the operator how to repair a provider that could not be restored. */
export const logRestoreFailed =
  (log: Logger): ReportRestoreFailed =>
  (zone, error) => {
    log.error({ err: error, zone }, 'the DNS provider may differ from the database: run svc dns sync')
  }

import { inject } from 'vitest'
import { createDatabase } from './postgres.js'

export { launchChromium } from './chromium.js'
export { ensure } from './ensure.js'
export { freePort, startProcess, type Running, type Start } from './process.js'
export { startPostgres, type Postgres } from './postgres.js'
export { startPowerDns, type PowerDns } from './powerdns.js'

/** The URL of a new, empty database on the run's PostgreSQL. It vanishes with the server when the run ends. */
export const freshPostgres = (): Promise<string> => createDatabase(inject('postgresAdminUrl'))

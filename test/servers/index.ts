import { inject } from 'vitest'
import { createDatabase } from './postgres.js'

export { launchChromium } from './chromium.js'
export { ensure } from './ensure.js'
export { freePort, startProcess, type Running, type Start } from './process.js'
export { startKannel, type Kannel } from './kannel.js'
export { startPostgres, type Postgres } from './postgres.js'
export { startSwift, type Swift } from './swift.js'
export { startPowerDns, type PowerDns } from './powerdns.js'
export { startVarnish, type Varnish } from './varnish.js'

/** Creates an empty database on the PostgreSQL of the test run, which is removed at the end. @returns its URL */
export const freshPostgres = (): Promise<string> => createDatabase(inject('postgresAdminUrl'))

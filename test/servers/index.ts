import { inject } from 'vitest'
import { createDatabase } from './postgres.js'

export { launchChromium, sharedChromium, sharedHeadlessShell, trustAuthority } from './chromium.js'
export { ensure, ensureNode } from './ensure.js'
export { startCaddy, startNginx, type Proxy } from './proxies.js'
export { accepts, freePort, startProcess, type Running, type Start } from './process.js'
export { startKannel, type Kannel } from './kannel.js'
export { startKnotPrimary, type Knot } from './knot.js'
export { startOpenSmtpd, type OpenSmtpd } from './opensmtpd.js'
export { startPebble, type Pebble, type PebbleOptions } from './pebble.js'
export { startPgBouncer, type PgBouncer } from './pgbouncer.js'
export { startPostgres, type Postgres } from './postgres.js'
export { startStaticNameserver, type StaticNameserver } from './static-nameserver.js'
export { startSwift, type Swift } from './swift.js'
export { startPowerDns, type PowerDns } from './powerdns.js'
export { startUnbound, type Unbound, type UnboundOptions } from './unbound.js'
export { startVarnish, type Varnish } from './varnish.js'

/** Options of `createdb` for a database that sorts as en_US.UTF-8 does: it ignores hyphens unless the letters are the same. */
export const languageCollation = ['--template=template0', '--locale-provider=icu', '--icu-locale=en-US-u-ka-shifted']

/**
 * Creates an empty database on the PostgreSQL of the test run, which is removed at the end.
 * @param options of `createdb`, such as `languageCollation`
 * @returns its URL
 */
export const freshPostgres = (options?: readonly string[]): Promise<string> =>
  createDatabase(inject('postgresAdminUrl'), options)

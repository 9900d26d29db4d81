import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accepts } from '../../test/servers/process.js'
import { ensure, startProcess } from '../../test/servers/index.js'
import { blocksOf } from '../markdown-blocks.js'

/** Secondary nameservers with the configurations of docs/secondaries.md. */

export interface SecondaryServer {
  readonly name: string
  /** Its UDP and TCP port on 127.0.0.1. */
  readonly port: number
  /** Ends the process; its data stays. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Its log so far. */
  log(): string
  /** Ends the process and removes its files. */
  stop(): Promise<void>
}

export interface Primary {
  readonly port: number
  /** Of the key of an account. */
  readonly keyName?: string
  /** Of the key ns2, in base64. */
  readonly secret: string
  /** The port of the secondary, which the primary must know before. */
  readonly secondaryPort: number
}

const document = readFileSync(new URL('../../docs/secondaries.md', import.meta.url), 'utf8')

function blockOf(language: string): string {
  const block = blocksOf(document).find((found) => found.language === language)
  if (block === undefined) throw new Error(`docs/secondaries.md has no block of ${language}.`)
  return block.text
}

/** A documented configuration with the addresses and folders of a test. */
const adapt = (text: string, folder: string, { port, secret, secondaryPort, keyName = '' }: Primary): string =>
  text
    .replaceAll('192.0.2.53@53', `127.0.0.1@${secondaryPort}`)
    .replaceAll('192.0.2.1@53', `127.0.0.1@${port}`)
    .replaceAll('192.0.2.1:53', `127.0.0.1:${port}`)
    .replaceAll('192.0.2.1 port 53', `127.0.0.1 port ${port}`)
    .replaceAll('listen-on port 53', `listen-on port ${secondaryPort}`)
    .replaceAll('local-port=53', `local-port=${secondaryPort}`)
    .replaceAll(/192\.0\.2\.(?:1|53)\b/g, '127.0.0.1')
    .replaceAll(/\/(?:run\/knot|var\/lib\/knot|var\/cache\/bind|var\/lib\/nsd|var\/lib\/powerdns)/g, folder)
    .replaceAll('SECRET', secret)
    .replaceAll(/\bNAME\b/g, keyName)
    // So that a test can compare the records.
    .replace('allow-transfer { none; }', 'allow-transfer { 127.0.0.1; }')
    .replace('allow-axfr-ips=', 'allow-axfr-ips=127.0.0.1')
    .replace('    allow-notify:', '    provide-xfr: 127.0.0.1 NOKEY\n    allow-notify:')
    .replace('acl:\n', 'acl:\n  - id: compare\n    address: 127.0.0.1\n    action: transfer\n')
    .replaceAll('acl: from-svc', 'acl: [from-svc, compare]')

interface Started {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

async function start(name: string, primary: Primary, prepare: (folder: string) => Started): Promise<SecondaryServer> {
  const folder = mkdtempSync(join(tmpdir(), `svc-secondary-${name}-`))
  const prepared = prepare(folder)
  const log = join(folder, 'log')
  const run = () => startProcess({ ...prepared, log, cwd: folder, ready: () => accepts(primary.secondaryPort) })
  try {
    let running = await run()
    return {
      name,
      port: primary.secondaryPort,
      pause: () => running.stop(),
      resume: async () => {
        running = await run()
      },
      log: () => readFileSync(log, 'utf8'),
      stop: async () => {
        await running.stop()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** @param zone of an account; undefined for those of the catalog */
export const startKnotSecondary = (primary: Primary, zone?: string): Promise<SecondaryServer> =>
  start('knot', primary, (folder) => {
    const config = adapt(blockOf(zone === undefined ? 'knot' : 'knotaccount'), folder, primary)
    writeFileSync(join(folder, 'knot.conf'), config.replace('example.com', zone ?? ''))
    return { command: ensure('knotd'), args: ['-c', join(folder, 'knot.conf')] }
  })

/** @param zone of an account; undefined for those of the catalog */
export const startBindSecondary = (primary: Primary, zone?: string): Promise<SecondaryServer> =>
  start('bind', primary, (folder) => {
    const own = `controls {};\n`
    const config = adapt(blockOf(zone === undefined ? 'bind' : 'bindaccount'), folder, primary)
      .replace('"example.com"', `"${zone ?? ''}"`)
      .replace(
        'recursion no;',
        `recursion no;\n    pid-file "${folder}/named.pid";\n    session-keyfile "${folder}/session.key";`,
      )
    writeFileSync(join(folder, 'named.conf'), own + config)
    return { command: ensure('named'), args: ['-g', '-c', join(folder, 'named.conf')] }
  })

const pdnsSchema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql'

export const startPowerDnsSecondary = (primary: Primary): Promise<SecondaryServer> =>
  startPowerDns('powerdns', primary, (config, folder) => {
    execFileSync(ensure('sqlite3'), [join(folder, 'pdns.sqlite3')], { input: readFileSync(pdnsSchema) })
    return config
  })

/** @param prepare creates the database, and adapts the documented configuration */
const startPowerDns = (
  name: string,
  primary: Primary,
  prepare: (config: string, folder: string) => string,
): Promise<SecondaryServer> =>
  start(name, primary, (folder) => {
    const command = ensure('pdns_server')
    const more = [`socket-dir=${folder}`, 'disable-syslog=yes', 'security-poll-suffix=', '']
    const config = prepare(adapt(blockOf('powerdns'), folder, primary), folder)
    writeFileSync(join(folder, 'pdns.conf'), config + more.join('\n'))
    for (const line of adapt(blockOf('pdnsutil'), folder, primary).trim().split('\n')) {
      const [, ...args] = line.split(' ')
      execFileSync('pdnsutil', [`--config-dir=${folder}`, ...args], { stdio: 'ignore' })
    }
    return { command, args: [`--config-dir=${folder}`] }
  })

const pdnsPostgresSchema = '/usr/share/pdns-backend-pgsql/schema/schema.pgsql.sql'

/**
 * Starts PowerDNS with PostgreSQL instead of SQLite, where it can apply differences while it notes other things.
 * @param database URL of an empty database
 */
export function startPowerDnsOnPostgres(primary: Primary, database: string): Promise<SecondaryServer> {
  ensure('pdns-backend-pgsql')
  const { hostname, port, username, pathname } = new URL(database)
  const backend = [`host=${hostname}`, `port=${port}`, `user=${username}`, `dbname=${pathname.slice(1)}`]
  return startPowerDns('powerdns-postgres', primary, (config) => {
    execFileSync(ensure('psql'), ['-q', '-f', pdnsPostgresSchema, database], { stdio: 'ignore' })
    return config.replace(
      /launch=gsqlite3\ngsqlite3-database=.*/,
      ['launch=gpgsql', ...backend.map((line) => `gpgsql-${line}`)].join('\n'),
    )
  })
}

/** Lets PowerDNS ask for differences of the zones that it has now. It takes effect within a minute, or with a restart. */
export function askForDifferences(database: string): void {
  const input = `insert into domainmetadata (domain_id, kind, content) select id, 'IXFR', '1' from domains;`
  execFileSync(ensure('psql'), ['-q', database], { input, stdio: ['pipe', 'ignore', 'inherit'] })
}

/** @param zones NSD has no catalogs: its zones are listed */
export const startNsdSecondary = (primary: Primary, zones: readonly string[]): Promise<SecondaryServer> =>
  start('nsd', primary, (folder) => {
    const adapted = adapt(blockOf('nsd'), folder, primary)
    const [common = '', zone = ''] = adapted.split(/^zone:\n/m)
    const own = [
      `username: ""`,
      `database: ""`,
      `pidfile: "${folder}/nsd.pid"`,
      `xfrdfile: "${folder}/xfrd.state"`,
      `zonelistfile: "${folder}/zone.list"`,
      `xfrdir: "${folder}"`,
      'rrl-ratelimit: 0',
    ]
    const config = [
      common.replace('server:\n', `server:\n${own.map((line) => `    ${line}\n`).join('')}`),
      'remote-control:\n    control-enable: no\n',
      ...zones.map((name) => `zone:\n${zone.replace('example.com', name)}`),
    ]
    writeFileSync(join(folder, 'nsd.conf'), config.join('\n'))
    return { command: ensure('nsd'), args: ['-d', '-c', join(folder, 'nsd.conf')] }
  })

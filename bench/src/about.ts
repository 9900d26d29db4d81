import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

/** The exact versions of the peers that are packages. */
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
}

/** The peers and load generators of each bench, whose versions are printed. */
const peersOf: Readonly<Record<string, readonly string[]>> = {
  requests: ['fastify', 'wrk'],
  postgres: ['psql', 'wrk'],
  'lists-postgres': ['psql'],
  writes: ['better-sqlite3'],
  nameserver: ['pdns_server'],
  records: ['pdns_server', 'wrk'],
  uploads: ['@tus/server'],
  packages: ['verdaccio', 'wrk'],
  downloads: ['nginx', 'wrk'],
  'short-links': ['wrk'],
  sites: ['nginx', '@fastify/static', 'wrk'],
  sms: ['wrk'],
  whois: ['wrk'],
  tls: ['wrk'],
  'tls-sites': ['nginx', 'wrk'],
  deploys: ['unzip'],
}

/** Programs that are not packages: the option that prints the version, and the usual name. */
const programs: Readonly<Record<string, readonly [option: string, name: string]>> = {
  wrk: ['-v', 'wrk'],
  pdns_server: ['--version', 'PowerDNS'],
  nginx: ['-v', 'nginx'],
  unzip: ['-v', 'UnZip'],
  psql: ['--version', 'PostgreSQL'],
}

/** The date, the machine and the versions of the peers of a bench. One line of Markdown. */
export function aboutRun(bench: string): string {
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format()
  const memory = `${Math.round(totalmem() / 1e9)} GB of memory`
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${memory}, Linux ${release()}`
  const versions = [`Node.js ${process.versions.node}`, ...(peersOf[bench] ?? []).map(versionOf)]
  return `${date}, ${machine}. ${versions.join(', ')}.`
}

function versionOf(peer: string): string {
  const program = programs[peer]
  if (program === undefined) return `${peer} ${dependencies[peer] ?? ''}`
  const [option, name] = program
  const { stdout, stderr } = spawnSync(peer, [option], { encoding: 'utf8' })
  const version = (stdout + stderr).split(/[^\d.]+/).find((part) => /^\d+\.\d/.test(part))
  return `${name} ${version ?? 'of an unknown version'}`
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Zone } from '../../packages/server/src/ports/dns/port.js'
import { accepts, ensure, freePort, startProcess, type Running } from '../../test/servers/index.js'
import { zoneFile } from './zone-file.js'

/** Primary nameservers with a catalog zone, for `svc nameserver`. */

/** The key that they and the far nameserver have. */
export const farKey = { name: 'far', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 9).toString('base64') }

export const catalog = 'catalog.invalid'

export interface PrimaryServer {
  readonly port: number
  stop(): Promise<void>
}

interface PrimaryOptions {
  readonly zones: readonly Zone[]
  readonly nameservers: readonly string[]
  /** The port of the far nameserver on 127.0.0.1, which gets NOTIFY. */
  readonly far: number
}

/** Starts Knot, which makes the catalog itself. */
export async function startKnotPrimary({ zones, nameservers, far }: PrimaryOptions): Promise<PrimaryServer> {
  const { folder, port } = await prepare(zones, nameservers)
  const shared = [`    storage: "${folder}"`, '    acl: far', '    notify: far', '    semantic-checks: off']
  const config = [
    ...['server:', `  listen: 127.0.0.1@${port}`, `  rundir: "${folder}"`, '  udp-max-payload: 1232'],
    ...['database:', `  storage: "${folder}"`],
    ...['key:', `  - id: ${farKey.name}`, `    algorithm: ${farKey.algorithm}`, `    secret: ${farKey.secret}`],
    ...['remote:', '  - id: far', `    address: 127.0.0.1@${far}`, `    key: ${farKey.name}`],
    ...['acl:', '  - id: far', `    key: ${farKey.name}`, '    action: transfer'],
    ...['template:', '  - id: default', ...shared, '    file: "%s.zone"', '    zonefile-sync: -1'],
    ...['    catalog-role: member', `    catalog-zone: ${catalog}`],
    ...['  - id: catalog', ...shared, '    catalog-role: generate'],
    ...[
      'zone:',
      `  - domain: ${catalog}`,
      '    template: catalog',
      ...zones.map(({ zone }) => `  - domain: ${zone}`),
      '',
    ],
  ]
  writeFileSync(join(folder, 'knot.conf'), config.join('\n'))
  const command = ensure('knotd')
  const ready = () => accepts(port)
  return running(
    folder,
    port,
    await startProcess({ command, args: ['-c', join(folder, 'knot.conf')], log: join(folder, 'log'), ready }),
  )
}

/** Starts BIND with a written catalog. Its zones take updates with the key. */
export async function startBindPrimary({ zones, nameservers, far }: PrimaryOptions): Promise<PrimaryServer> {
  const { folder, port } = await prepare(zones, nameservers)
  writeFileSync(
    join(folder, `${catalog}.zone`),
    [
      `${catalog}. 0 IN SOA invalid. invalid. 1 60 10 2419200 0`,
      `${catalog}. 0 IN NS invalid.`,
      `version.${catalog}. 0 IN TXT "2"`,
      ...zones.map(({ zone }, n) => `m${n}.zones.${catalog}. 0 IN PTR ${zone}.`),
      '',
    ].join('\n'),
  )
  const zone = (name: string) =>
    `zone "${name}" { type primary; file "${name}.zone"; check-names ignore; allow-update { key ${farKey.name}; }; };`
  const config = [
    `key ${farKey.name} { algorithm ${farKey.algorithm}; secret "${farKey.secret}"; };`,
    'options {',
    `  directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };`,
    `  pid-file "${folder}/pid"; session-keyfile "${folder}/session.key"; recursion no; dnssec-validation no;`,
    `  notify explicit; notify-delay 0; also-notify { 127.0.0.1 port ${far} key ${farKey.name}; };`,
    `  allow-transfer { key ${farKey.name}; }; serial-query-rate 1000; startup-notify-rate 1000;`,
    '  minimal-responses yes; zero-no-soa-ttl no; max-udp-size 1232;',
    '};',
    'controls { };',
    ...[catalog, ...zones.map(({ zone: name }) => name)].map(zone),
    '',
  ]
  writeFileSync(join(folder, 'named.conf'), config.join('\n'))
  const args = ['-c', join(folder, 'named.conf'), '-g', '-n', '1']
  const ready = () => accepts(port)
  return running(folder, port, await startProcess({ command: ensure('named'), args, log: join(folder, 'log'), ready }))
}

async function prepare(zones: readonly Zone[], nameservers: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-primary-'))
  for (const zone of zones) writeFileSync(join(folder, `${zone.zone}.zone`), zoneFile(zone, nameservers))
  return { folder, port: await freePort() }
}

const running = (folder: string, port: number, server: Running): PrimaryServer => ({
  port,
  async stop() {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  },
})

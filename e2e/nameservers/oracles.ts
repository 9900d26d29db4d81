import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../../packages/server/test/dns-ask.js'
import type { Zone } from '../../packages/server/src/ports/dns/port.js'
import { ensure, freePort, startPowerDns, startProcess } from '../../test/servers/index.js'
import { zoneFile } from './zone-file.js'

/** Another nameserver that serves the same zones. */
export interface Oracle {
  readonly name: string
  readonly port: number
  stop(): Promise<void>
}

type Start = (zones: readonly Zone[], nameservers: readonly string[]) => Promise<Oracle>

/** A nameserver that reads zone files: its configuration file and its command line. */
interface FileServer {
  readonly name: string
  readonly program: string
  readonly args: (config: string) => string[]
  readonly config: (folder: string, port: number, zones: readonly string[]) => string
}

const fileServer =
  ({ name, program, args, config }: FileServer): Start =>
  async (zones, nameservers) => {
    const command = ensure(program)
    const folder = mkdtempSync(join(tmpdir(), `svc-${name}-`))
    const port = await freePort()
    for (const zone of zones) writeFileSync(join(folder, `${zone.zone}.zone`), zoneFile(zone, nameservers))
    const file = join(folder, `${name}.conf`)
    const names = zones.map(({ zone }) => zone)
    writeFileSync(file, config(folder, port, names))
    const running = await startProcess({
      command,
      args: args(file),
      log: join(folder, 'log'),
      ready: () => serves(port, names),
      cwd: folder,
    })
    const stop = async () => {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    return { name, port, stop }
  }

async function serves(port: number, names: readonly string[]): Promise<boolean> {
  try {
    const replies = await Promise.all(names.map((name) => ask(port, name, 'SOA', { tcp: true })))
    return replies.every(({ answers }) => answers.length === 1)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false
    throw error
  }
}

export const startNsd = fileServer({
  name: 'nsd',
  program: 'nsd',
  args: (config) => ['-d', '-c', config],
  config: (folder, port, zones) =>
    [
      'server:',
      `  ip-address: 127.0.0.1@${port}`,
      '  username: ""',
      '  database: ""',
      `  zonesdir: "${folder}"`,
      `  pidfile: "${folder}/nsd.pid"`,
      `  xfrdfile: "${folder}/xfrd.state"`,
      `  zonelistfile: "${folder}/zone.list"`,
      `  xfrdir: "${folder}"`,
      '  rrl-ratelimit: 0',
      '  minimal-responses: yes',
      '  ipv4-edns-size: 1232',
      'remote-control:',
      '  control-enable: no',
      ...zones.flatMap((zone) => ['zone:', `  name: "${zone}"`, `  zonefile: "${zone}.zone"`]),
      '',
    ].join('\n'),
})

export const startKnot = fileServer({
  name: 'knot',
  program: 'knotd',
  args: (config) => ['-c', config],
  config: (folder, port, zones) =>
    [
      'server:',
      `  listen: 127.0.0.1@${port}`,
      `  rundir: "${folder}"`,
      '  udp-max-payload: 1232',
      'database:',
      `  storage: "${folder}"`,
      'template:',
      '  - id: default',
      `    storage: "${folder}"`,
      '    file: "%s.zone"',
      '    semantic-checks: off',
      '    zonefile-sync: -1',
      '    journal-content: none',
      'zone:',
      ...zones.map((zone) => `  - domain: ${zone}`),
      '',
    ].join('\n'),
})

export const startPdns: Start = async (zones, nameservers) => {
  const server = await startPowerDns()
  for (const zone of zones) {
    const body = {
      name: `${zone.zone}.`,
      kind: 'Native',
      nameservers: [],
      soa_edit_api: '',
      zone: zoneFile(zone, nameservers),
    }
    const { status, json } = await server.call('POST', '/zones', body)
    if (status !== 201) {
      await server.stop()
      throw new Error(`PowerDNS refuses ${zone.zone}: ${JSON.stringify(json)}`)
    }
  }
  return { name: 'powerdns', port: server.dnsPort, stop: () => server.stop() }
}

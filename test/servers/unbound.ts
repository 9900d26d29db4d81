import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.js'
import { accepts, freePort, startProcess } from './process.js'

export interface Unbound {
  /** Its UDP and TCP port on 127.0.0.1. */
  readonly port: number
  readonly stop: () => Promise<void>
}

export interface UnboundOptions {
  /** DS records of a zone below which all answers are validated: `test. 3600 IN DS …`. */
  readonly anchors: readonly string[]
  /** The port of the nameserver on 127.0.0.1, by zone. */
  readonly zones: Readonly<Record<string, number>>
}

/** Starts a validating resolver, as strict as those of CAs: random case, minimised names, and no name below one that does not exist. */
export async function startUnbound({ anchors, zones }: UnboundOptions): Promise<Unbound> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-unbound-'))
  const port = await freePort()
  const settings = {
    interface: '127.0.0.1',
    port,
    username: '""',
    chroot: '""',
    pidfile: '""',
    directory: `"${folder}"`,
    'use-syslog': 'no',
    'do-not-query-localhost': 'no',
    'module-config': '"validator iterator"',
    'use-caps-for-id': 'yes',
    'qname-minimisation-strict': 'yes',
    'harden-below-nxdomain': 'yes',
  }
  const lines = [
    'server:',
    ...Object.entries(settings).map(([name, value]) => `  ${name}: ${value}`),
    ...anchors.map((anchor) => `  trust-anchor: "${anchor}"`),
    // Unbound answers for names such as `test` itself, unless it is told not to.
    ...Object.keys(zones).map((zone) => `  local-zone: "${zone}" nodefault`),
    'remote-control:',
    '  control-enable: no',
    ...Object.entries(zones).flatMap(([zone, at]) => [
      'stub-zone:',
      `  name: "${zone}"`,
      `  stub-addr: 127.0.0.1@${at}`,
    ]),
  ]
  await writeFile(join(folder, 'unbound.conf'), `${lines.join('\n')}\n`)
  const server = await startProcess({
    command: ensure('unbound'),
    args: ['-d', '-c', join(folder, 'unbound.conf')],
    log: join(folder, 'log'),
    ready: () => accepts(port),
  })
  return {
    port,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}

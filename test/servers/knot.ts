import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.js'
import { accepts, freePort, startProcess } from './process.js'

export interface Knot {
  /** Its UDP and TCP port on 127.0.0.1. */
  readonly port: number
  readonly stop: () => Promise<void>
}

/**
 * Starts Knot DNS as the primary of zones that every client on 127.0.0.1 may transfer and update.
 * @param zones the zone files, by zone
 */
export async function startKnotPrimary(zones: ReadonlyMap<string, string>): Promise<Knot> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-knot-'))
  const port = await freePort()
  const lines = [
    'server:',
    `  rundir: "${folder}"`,
    `  listen: 127.0.0.1@${port}`,
    '  user: root',
    'log:',
    '  - target: stdout',
    '    any: warning',
    'database:',
    `  storage: "${folder}"`,
    'acl:',
    '  - id: all',
    '    address: 127.0.0.1',
    '    action: [transfer, update]',
    'template:',
    '  - id: default',
    `    storage: "${folder}"`,
    '    acl: all',
    // Its own increments of the serial would be a difference to svc.
    '    serial-policy: increment',
    'zone:',
    ...[...zones.keys()].flatMap((zone) => [`  - domain: ${zone}`, `    file: ${zone}.zone`]),
  ]
  await Promise.all(Array.from(zones, ([zone, text]) => writeFile(join(folder, `${zone}.zone`), text)))
  await writeFile(join(folder, 'knot.conf'), `${lines.join('\n')}\n`)
  const server = await startProcess({
    command: ensure('knotd'),
    args: ['-c', join(folder, 'knot.conf')],
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

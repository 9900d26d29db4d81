import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.js'
import { accepts, startProcess } from './process.js'

export interface StaticNameserver {
  readonly stop: () => Promise<void>
}

export interface StaticZones {
  /** Of this machine, such as 127.0.0.2; for BIND one that an interface has, such as 127.0.0.1. */
  readonly address: string
  readonly port: number
  /** The zone files, by zone. */
  readonly zones: Readonly<Record<string, string>>
}

type Program = 'knotd' | 'named' | 'nsd'

type Configuration = (of: StaticZones, folder: string) => readonly string[]

const filesOf = ({ zones }: StaticZones, folder: string) =>
  Object.keys(zones).map((zone) => ({ zone, file: join(folder, `${zone}.zone`) }))

const configurations: Readonly<Record<Program, Configuration>> = {
  knotd: (of, folder) => [
    'server:',
    `  rundir: "${folder}"`,
    `  listen: ${of.address}@${of.port}`,
    'log:',
    '  - target: stdout',
    '    any: warning',
    'database:',
    `  storage: "${folder}"`,
    'zone:',
    ...filesOf(of, folder).flatMap(({ zone, file }) => [`  - domain: ${zone}`, `    file: "${file}"`]),
  ],
  named: (of, folder) => [
    'options {',
    `  directory "${folder}"; pid-file none; session-keyfile none;`,
    `  listen-on port ${of.port} { ${of.address}; }; listen-on-v6 { none; };`,
    '  recursion no; dnssec-validation no; notify no; minimal-responses no;',
    '};',
    'controls { };',
    ...filesOf(of, folder).map(({ zone, file }) => `zone "${zone}" { type primary; file "${file}"; };`),
  ],
  nsd: (of, folder) => [
    'server:',
    `  ip-address: ${of.address}@${of.port}`,
    '  username: ""',
    '  chroot: ""',
    '  pidfile: ""',
    `  xfrdfile: "${folder}/xfrd.state"`,
    `  zonelistfile: "${folder}/zone.list"`,
    `  xfrdir: "${folder}"`,
    '  server-count: 1',
    'remote-control:',
    '  control-enable: no',
    ...filesOf(of, folder).flatMap(({ zone, file }) => ['zone:', `  name: ${zone}`, `  zonefile: "${file}"`]),
  ],
}

const argumentsOf: Readonly<Record<Program, (file: string) => readonly string[]>> = {
  knotd: (file) => ['-c', file],
  named: (file) => ['-g', '-n', '1', '-c', file],
  nsd: (file) => ['-d', '-c', file],
}

/** Starts Knot, BIND or NSD with zones from files, without transfers. */
export async function startStaticNameserver(program: Program, of: StaticZones): Promise<StaticNameserver> {
  const folder = await mkdtemp(join(tmpdir(), `svc-${program}-`))
  for (const { zone, file } of filesOf(of, folder)) await writeFile(file, of.zones[zone] ?? '')
  const file = join(folder, 'server.conf')
  await writeFile(file, `${configurations[program](of, folder).join('\n')}\n`)
  const server = await startProcess({
    command: ensure(program),
    args: argumentsOf[program](file),
    log: join(folder, 'log'),
    ready: () => accepts(of.port, of.address),
  })
  return {
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

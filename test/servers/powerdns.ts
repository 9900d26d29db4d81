import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.js'
import { freePort, startProcess, type Running } from './process.js'

export interface PowerDns {
  /** URL of its HTTP API: `http://127.0.0.1:<port>` */
  readonly url: string
  /** Its `api-key`. */
  readonly key: string
  /** Its UDP and TCP port on 127.0.0.1. */
  readonly dnsPort: number
  /** Of the process that runs now. */
  readonly pid: number
  /** Sends a request to its API, below `/api/v1/servers/localhost`. @returns status and JSON of the answer */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }>
  /** Ends the process; its data stays. */
  pause(): Promise<void>
  /** Starts it again with the same ports and data. */
  resume(): Promise<void>
  /** Ends the process and removes its files. */
  stop(): Promise<void>
}

const schema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql'

/**
 * Starts a separate authoritative PowerDNS with its SQLite backend, in a temporary folder.
 * @param more additional settings of pdns.conf
 * @param under a command to start it with, such as `taskset -c 0`
 */
export async function startPowerDns(
  more: Readonly<Record<string, string>> = {},
  under: readonly string[] = [],
): Promise<PowerDns> {
  const [server, sqlite] = [ensure('pdns_server'), ensure('sqlite3')]
  const folder = mkdtempSync(join(tmpdir(), 'svc-powerdns-'))
  const [dnsPort, apiPort, key] = [await freePort(), await freePort(), 'key-of-the-test-powerdns']
  const settings = {
    launch: 'gsqlite3',
    'gsqlite3-database': join(folder, 'pdns.sqlite3'),
    'local-address': '127.0.0.1',
    'local-port': dnsPort,
    api: 'yes',
    'api-key': key,
    'webserver-address': '127.0.0.1',
    'webserver-port': apiPort,
    'webserver-allow-from': '127.0.0.0/8',
    'socket-dir': folder,
    'disable-syslog': 'yes',
    // By default, it polls for known vulnerabilities over the internet.
    'security-poll-suffix': '',
    ...more,
  }
  execFileSync(sqlite, [settings['gsqlite3-database']], { input: readFileSync(schema) })
  writeFileSync(
    join(folder, 'pdns.conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  chmodSync(folder, 0o700)

  const url = `http://127.0.0.1:${apiPort}`
  const call: PowerDns['call'] = async (method, path, body) => {
    const response = await fetch(`${url}/api/v1/servers/localhost${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) }
  }
  const answers = () =>
    call('GET', '').then(
      ({ status }) => status === 200,
      () => false,
    )
  const [command, ...args] = [...under, server, `--config-dir=${folder}`]
  const start = (): Promise<Running> => startProcess({ command, args, log: join(folder, 'log'), ready: answers })
  try {
    let running = await start()
    return {
      url,
      key,
      dnsPort,
      call,
      get pid() {
        return running.pid
      },
      pause: () => running.stop(),
      resume: async () => {
        running = await start()
      },
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

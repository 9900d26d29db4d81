import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.js'
import { accepts, freePort, startProcess } from './process.js'
import { unprivileged } from './unprivileged.js'

export interface PgBouncer {
  /** The URL of a database of the PostgreSQL server behind it. */
  urlOf(postgresUrl: string): string
  /** Ends the process and removes its files. */
  stop(): Promise<void>
}

/**
 * Starts a separate PgBouncer, with its defaults, in front of a PostgreSQL server.
 * @param postgresUrl of any database of the server
 * @param settings in addition, by name
 */
export async function startPgBouncer(
  postgresUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<PgBouncer> {
  const pgbouncer = ensure('pgbouncer')
  const folder = mkdtempSync(join(tmpdir(), 'svc-pgbouncer-'))
  const user = unprivileged('postgres', folder)
  const port = await freePort()
  const { hostname, port: postgresPort, username } = new URL(postgresUrl)
  // Any client is accepted, as the user of the server.
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    auth_type: 'any',
    unix_socket_dir: '',
    ...settings,
  }
  const file = join(folder, 'pgbouncer.ini')
  const lines = [
    ...['[databases]', `* = host=${hostname} port=${postgresPort} user=${username}`, '[pgbouncer]'],
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
  try {
    const [command, ...args] = user([pgbouncer, file])
    const running = await startProcess({ command, args, log: join(folder, 'log'), ready: () => accepts(port) })
    return {
      urlOf: (url) => {
        const behind = new URL(url)
        behind.port = String(port)
        return behind.href
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

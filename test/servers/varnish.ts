import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ensure } from './ensure.js'
import { accepts, freePort, startProcess } from './process.js'

export interface Varnish {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Its working directory, for `varnishncsa -n`. */
  readonly folder: string
  /** The value of a counter, such as `MAIN.n_object`. */
  statistic(name: string): Promise<number>
  /** Ends the process and removes its files. */
  stop(): Promise<void>
}

const run = promisify(execFile)

const vcl = fileURLToPath(new URL('../../integrations/varnish/default.vcl', import.meta.url))

/**
 * Starts a separate Varnish with integrations/varnish/default.vcl, in a temporary folder.
 * @param originPort the port of its backend on 127.0.0.1
 */
export async function startVarnish(originPort: number): Promise<Varnish> {
  const varnishd = ensure('varnishd')
  const folder = mkdtempSync(join(tmpdir(), 'svc-varnish-'))
  const port = await freePort()
  const file = join(folder, 'default.vcl')
  writeFileSync(file, readFileSync(vcl, 'utf8').replace('.port = "8080"', `.port = "${String(originPort)}"`))
  const listen = ['-a', `127.0.0.1:${String(port)}`, '-f', file, '-n', join(folder, 'work')]
  const small = [
    '-s',
    'malloc,64m',
    '-p',
    'nuke_limit=1000000',
    '-p',
    'thread_pools=1',
    '-p',
    'thread_pool_min=20',
    '-p',
    'vsl_space=1m',
  ]
  try {
    const running = await startProcess({
      command: varnishd,
      // Without a jail, because that needs root and the users of Debian's package.
      args: ['-F', '-j', 'none', ...listen, ...small],
      log: join(folder, 'log'),
      ready: () => accepts(port),
    })
    return {
      url: `http://127.0.0.1:${String(port)}`,
      folder: join(folder, 'work'),
      statistic: async (name) => {
        const { stdout } = await run(ensure('varnishstat'), ['-n', join(folder, 'work'), '-j', '-f', name])
        const { counters } = JSON.parse(stdout) as { counters: Record<string, { value: number }> }
        return counters[name]?.value ?? 0
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

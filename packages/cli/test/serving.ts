import { join } from 'node:path'
import { readConfig } from '../../server/src/config/config.js'
import { startApp, type TestApp } from '../../server/test/app.js'
import type { Place } from './svc.js'

/**
 * The server on the data of a place, in the process of the test: it starts ten times faster than `svc serve`. Commands in that
 * place run beside it, in another process.
 */
export async function serveIn({ cwd, env }: Place): Promise<TestApp & AsyncDisposable> {
  const data = { SVC_DATA: join(cwd, 'data'), SVC_FX_URL: 'http://127.0.0.1:9/usd.json', SVC_DNS_PORT: '0' }
  const app = await startApp('sqlite', readConfig({ env: { ...data, ...env } }))
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= app.stop())
  return { ...app, stop, [Symbol.asyncDispose]: stop }
}

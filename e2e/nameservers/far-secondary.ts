import { once } from 'node:events'
import { emptyPlace, start } from '../../packages/cli/test/svc.js'
import { accepts, freePort } from '../../test/servers/index.js'
import type { Primary, SecondaryServer } from './secondaries.js'

/** `svc nameserver` as one of the secondaries. */
export async function startFarSecondary({ port: primary, secret, secondaryPort }: Primary): Promise<SecondaryServer> {
  const place = await emptyPlace()
  const env = {
    SVC_DNS_PRIMARY_KEY: `ns2:hmac-sha256:${secret}`,
    SVC_DNS_PORT: String(secondaryPort),
    SVC_PORT: String(await freePort()),
  }
  let log = ''
  const run = async () => {
    const child = start(['nameserver', '--primary', `127.0.0.1:${String(primary)}`], { ...place, env })
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
    const ended = once(child, 'exit')
    while (!(await accepts(secondaryPort))) {
      if (child.exitCode !== null) throw new Error(`svc nameserver did not start: ${log}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return async () => {
      child.kill()
      await ended
    }
  }
  let end = await run()
  return {
    name: 'svc nameserver',
    port: secondaryPort,
    pause: () => end(),
    resume: async () => {
      end = await run()
    },
    log: () => log,
    stop: async () => {
      await end()
      await place[Symbol.asyncDispose]()
    },
  }
}

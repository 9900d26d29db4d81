import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bin, emptyPlace, svcServe, type Place, type Serving } from '../packages/cli/test/svc.js'
import { ensure, freePort, startPebble, type Pebble } from '../test/servers/index.js'
import { blocksOf, sectionOf } from './markdown-blocks.js'

/**
 * The steps of docs/public-server.md as pasted, without the registrar: Pebble is the CA, and asks the nameserver of svc. Only ports and
 * the addresses to listen on are replaced.
 */

const document = await readFile(fileURLToPath(new URL('../docs/public-server.md', import.meta.url)), 'utf8')
const blocks = (heading: string): string[] => blocksOf(sectionOf(document, heading)).map(({ text: block }) => block)

const settings = Object.fromEntries(
  (blocks('2. On the machine').find((block) => block.startsWith('SVC_')) ?? '')
    .trim()
    .split('\n')
    .map((line) => line.split('=', 2) as [string, string]),
)

let place: Place & AsyncDisposable
let server: Serving & AsyncDisposable
let pebble: Pebble
let dnsPort: number
let env: Record<string, string>
beforeAll(async () => {
  for (const program of ['curl', 'dig']) ensure(program)
  place = await emptyPlace()
  dnsPort = await freePort()
  pebble = await startPebble(dnsPort)
  await writeFile(join(place.cwd, 'root.pem'), await pebble.root())
  env = {
    ...settings,
    SVC_HOST: '127.0.0.1',
    SVC_DNS_HOST: '127.0.0.1',
    SVC_DNS_PORT: String(dnsPort),
    SVC_TLS_PORT: String(pebble.tlsPort),
    SVC_HTTP_PORT: String(pebble.httpPort),
    SVC_ACME_URL: pebble.url,
    SVC_RESOLVERS: `127.0.0.1:${String(dnsPort)}`,
  }
  server = await svcServe({ ...place, env })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await pebble.stop()
  await place[Symbol.asyncDispose]()
})

/** Runs a block of the document. @returns its output */
async function run(block: string): Promise<string> {
  const script = block
    .replaceAll('sudo svc', `'${process.execPath}' '${bin}'`)
    .replace('dig @192.0.2.53', `dig -p ${String(dnsPort)} @127.0.0.1`)
    .replace('curl ', `curl -s --cacert root.pem --connect-to ::127.0.0.1:${String(pebble.tlsPort)} `)
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: place.cwd, env: { ...process.env, ...env } })
  child.stdin.end()
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect({ code: child.exitCode, stderr }).toMatchObject({ code: 0 })
  return stdout
}

it('leads from the first start to trusted certificates for the API and the sites', async () => {
  expect(server.stderr()).toContain(
    'As soon as svc has a certificate for api.example.com, open https://api.example.com/console',
  )
  const [list = '', curl = '', doctor = ''] = blocks('5. The certificates')
  await expect.poll(() => run(list)).toContain('svc does not serve the zone of *.example.net, and only DNS can prove')

  for (const block of [...blocks('3. The first account'), ...blocks('4. The records').slice(0, 2)]) await run(block)
  expect(await run(blocks('4. The records').at(-1) ?? '')).toBe('192.0.2.53\n')

  const statuses = async () =>
    (await run(list)).match(/^(?:\*\.example\.net example\.net|api\.example\.com) .* issued /gm)
  await expect.poll(statuses).toHaveLength(2)
  expect(JSON.parse(await run(curl))).toMatchObject({ success: true })
  expect(doctor).toBe('sudo svc doctor\n')
})

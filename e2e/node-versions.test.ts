import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { emptyPlace, svcProcess, svcServe, type Place, type Serving } from '../packages/cli/test/svc.js'
import { ensureNode, freePort } from '../test/servers/index.js'
import { fill, viewOf, type Person } from './person.js'

/** The built svc on every version of Node.js that it supports, and on one that it does not. */

/** The version of `npm ci`, and those of test/nodes: the oldest that svc supports, and the newest. */
const nodes: Record<string, () => string> = {
  22: () => ensureNode('22'),
  24: () => fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url)),
  26: () => ensureNode('26'),
}

// Downloads them if they are missing.
beforeAll(() => void ensureNode('22'), 300_000)

const email = 'ada@example.com'
const unknownToken = `svc_${'0'.repeat(32)}`
const refusal = JSON.stringify({
  success: false,
  error: 'bad_request',
  message: 'Refused.',
  request_id: 'req_0123456789abcdef',
})

/** A server on a free port for DNS, which `viewOf` asks too. */
async function serve(place: Place, ...flags: string[]): Promise<Serving & AsyncDisposable & { dnsPort: number }> {
  const dnsPort = await freePort()
  return { ...(await svcServe(place, '--dns-port', String(dnsPort), ...flags)), dnsPort }
}

/** Runs a command that succeeds and writes nothing unexpected, such as a warning of Node.js. @returns its stdout */
async function run(place: Place, args: string[], stderr: string | RegExp = ''): Promise<string> {
  const result = await svcProcess(args, place)
  expect(result).toMatchObject({ code: 0, stderr: stderr === '' ? '' : expect.stringMatching(stderr) })
  return result.stdout.trim()
}

it.each(Object.keys(nodes))('serves, backs up and restores all areas on Node.js %s', async (version) => {
  const env = { SVC_MASTER_KEY: 'ab'.repeat(32), SVC_RESOLVERS: '127.0.0.1:9' }
  await using place = { ...(await emptyPlace()), env, node: nodes[version]!() }
  const password = await run(place, ['user', 'add', email], /^Created the account/)
  const token = await run(place, ['token', 'add', email, '--name', 'all', '--scope', '*'], /^Created the token/)
  const ada: Person = { email, password, token }

  await using server = await serve(place)
  await fill(server, ada)
  const view = await viewOf(server, ada)
  expect(await server.stop()).toBe(0)
  expect(server.stderr()).toBe('')

  await run(place, ['backup', 'ada.svc'], /ada\.svc: .* 4 objects/)
  await run(place, ['restore', 'ada.svc', '--data', 'restored'], /^Restored the backup of /)
  await using restored = await serve(place, '--data', 'restored')
  expect(await viewOf(restored, ada)).toEqual(view)
  const me = await run({ ...place, env: { SVC_URL: restored.url, SVC_TOKEN: token } }, ['api', 'account', 'me'])
  expect(JSON.parse(me)).toMatchObject({ user: { email } })
})

it.each(Object.keys(nodes))(
  'reports a form that is refused before all of it was sent, on Node.js %s',
  async (version) => {
    const server = createServer((_request, response) => {
      setTimeout(
        () => response.writeHead(400, { connection: 'close', 'content-type': 'application/json' }).end(refusal),
        1,
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
    await using place = {
      ...(await emptyPlace()),
      env: { SVC_URL: url, SVC_TOKEN: unknownToken },
      node: nodes[version]!(),
    }
    const files = ['a.bin', 'b.bin', 'c.bin']
    for (const name of files) await writeFile(join(place.cwd, name), Buffer.alloc(300_000))
    const args = ['api', 'packages', 'publish', ...files, '--slug', 'greeter', '--version', '1.0.0']
    const results = await Promise.all(Array.from({ length: 12 }, () => svcProcess(args, place)))
    server.close()
    // The connection may be reset before the answer is read.
    for (const { code, stderr } of results) {
      expect(code).toBe(1)
      expect(stderr).toMatch(/^(bad_request: Refused\. \(req_\S+\)|svc: POST \S+: .+)\n$/)
    }
  },
)

it('ends with one sentence on Node.js 20', async () => {
  await using place = { ...(await emptyPlace()), node: ensureNode('20') }
  for (const args of [['serve'], ['user', 'list'], ['--version']])
    expect(await svcProcess(args, place)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'svc needs Node.js 22.14, 24 or later, not 20.20.2: in a checkout, npx svc uses the one that npm ci has installed.\n',
    })
})

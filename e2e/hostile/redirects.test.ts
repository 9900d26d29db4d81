import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createClient, NoAnswerError } from '../../packages/client/src/index.js'
import { svc } from '../../packages/cli/test/svc.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { ownerOn, type Owner } from '../../packages/server/test/zone-owner.js'
import { PowerDnsApi } from '../../packages/server/src/ports/dns/powerdns/powerdns-api.js'

/** A client sends its token and body only to the configured address, never to the target of a redirect. */

let site: Site
let owner: Owner
beforeAll(async () => {
  site = await startSite('sqlite')
  owner = await ownerOn(site)
})
afterAll(() => site.stop())

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that redirects every request to the same path of another one. */
const redirectingTo = (target: string, status: number) =>
  answering((request, response) => {
    response.writeHead(status, { location: target + (request.url ?? '') }).end('Moved.')
  })

/** A server that records requests and answers with success. */
async function recording() {
  const requests: string[] = []
  const url = await answering((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`)
    response.setHeader('content-type', 'application/json')
    response.end('{"success":true,"data":{"zones":[]},"request_id":"req_0123456789abcdef"}')
  })
  return { url, requests }
}

const countZones = async () => (await owner.call('GET', '/v1/dns/zones')).body['data'].zones.length as number

const refused = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('The call succeeded.'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(NoAnswerError)
      return error as NoAnswerError
    },
  )

describe.each([301, 302, 303, 307, 308])('a server that answers %i', (status) => {
  it('the typed client and svc api do not follow it, and name its target', async () => {
    const other = await recording()
    const baseUrl = await redirectingTo(other.url, status)
    const error = await refused(createClient({ baseUrl, token: owner.token }).dns.zoneClaim({ zone: 'moved.example' }))
    const message = `POST ${baseUrl}/v1/dns/zones: answered ${status} to ${other.url}/v1/dns/zones: is this the API's own address?`
    expect({ reason: error.reason, message: error.message }).toEqual({ reason: 'redirect', message })

    const command = ['api', 'dns', 'zone-claim', '--zone', 'moved.example']
    const env = { SVC_URL: baseUrl, SVC_TOKEN: owner.token }
    expect(await svc(command, { cwd: tmpdir(), env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `svc: ${message} If so, set --url or SVC_URL to it.\n`,
    })
    expect(other.requests).toEqual([])
  })
})

it('a claim that is redirected to the API itself fails, instead of returning the list of zones', async () => {
  const before = await countZones()
  const baseUrl = await redirectingTo(site.url, 301)
  const { dns } = createClient({ baseUrl, token: owner.token })
  expect((await refused(dns.zoneClaim({ zone: 'list.example' }))).reason).toBe('redirect')
  expect(await countZones()).toBe(before)
  expect(
    await createClient({ baseUrl: site.url, token: owner.token }).dns.zoneClaim({ zone: 'list.example' }),
  ).toHaveProperty('zone')
})

it('a call fails also with a fetch function that follows redirects', async () => {
  const baseUrl = await redirectingTo(site.url, 301)
  const following: typeof fetch = (url, init) => fetch(url, { ...init, redirect: 'follow' })
  const error = await refused(
    createClient({ baseUrl, token: owner.token, fetch: following }).dns.zoneClaim({ zone: 'x.example' }),
  )
  expect(error).toMatchObject({ reason: 'redirect', message: expect.stringContaining('a redirect was followed to') })
})

it.each([
  ['http://u:hunter2@other.test/x?code=hunter2#hunter2', 'to http://other.test/x:'],
  ['data:text/html,hunter2', 'to a data: address:'],
  ['http://[', 'to an address that cannot be read:'],
  ['/\u001b[2J', 'fetch failed: '],
  [`https://other.test/${'x'.repeat(9000)}`, `to https://other.test/${'x'.repeat(181)}…:`],
])('the error names the target %j without secrets and control characters', async (location, shown) => {
  const baseUrl = await answering((_request, response) => {
    // Written to the socket, because setHeader would refuse these characters.
    response.socket?.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)
  })
  const { message } = await refused(createClient({ baseUrl }).public.time())
  expect(message).toContain(shown)
  expect(message).not.toMatch(/hunter2|\p{Cc}/u)
})

it('the error for a redirect without Location says so', async () => {
  const baseUrl = await answering((_request, response) => response.writeHead(301).end())
  expect((await refused(createClient({ baseUrl }).public.time())).message).toContain('answered 301 without an address')
})

it('the PowerDNS API key is not sent to the target of a redirect', async () => {
  const other = await recording()
  const url = await redirectingTo(other.url, 307)
  const api = new PowerDnsApi({ url, key: 'k', deadlineMs: 5000, log: pino({ level: 'silent' }) })
  const sending = api.send({ method: 'PATCH', path: '/zones/x.example.', body: {}, expect: [204] })
  await expect(sending).rejects.toThrow('the connection to it broke')
  expect(other.requests).toEqual([])
})

it('the ACME hook does not send its token to the target of a redirect, even if ~/.curlrc follows redirects', async () => {
  const other = await recording()
  const baseUrl = await redirectingTo(other.url, 307)
  const script = fileURLToPath(new URL('../../integrations/acme/svc-txt.sh', import.meta.url))
  const { CURL_HOME: _, ...env } = process.env
  const home = await mkdtemp(`${tmpdir()}/svc-curlrc-`)
  await writeFile(`${home}/.curlrc`, 'location\n')
  const child = spawn('sh', [script, 'add', '_acme-challenge.x.example', 'v'], {
    env: { ...env, HOME: home, SVC_URL: baseUrl, SVC_TOKEN: 'svc_secret' },
  })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
  await rm(home, { recursive: true })
  expect(stderr).toContain('307')
  expect(other.requests).toEqual([])
})

import { createServer } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig, type Config } from '../../config/config.js'
import { runCheck } from './check.js'
import { contentHostCheck } from './content-host.js'

let port: number
let isSvc = true
const server = createServer((_, response) => {
  if (isSvc) response.setHeader('x-request-id', 'req_1')
  response.writeHead(404).end()
})
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

const lookup: LookupFunction = (_, options, done) => {
  if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }])
  else done(null, '127.0.0.1', 4)
}

const check = async (env: NodeJS.ProcessEnv) => {
  const config: Config = readConfig({ env: { ...env, SVC_DATA: '/nonexistent' } })
  const findings = await runCheck(contentHostCheck({ lookup }), {
    config,
    env,
    progress: () => undefined,
    database: Promise.resolve(undefined),
  })
  return findings.map(({ status, message, remedy }) => [status, message, remedy ?? ''].join(' ').trim())
}

it('the content host is not checked without a public URL', async () => {
  expect(await check({})).toEqual(['ok Not checked: SVC_PUBLIC_URL is not set.'])
})

it('a public URL with a sites domain that only this machine has is a warning with the setting to change', async () => {
  const [found] = await check({ SVC_PUBLIC_URL: 'https://svc.example.net' })
  expect(found).toMatch(/^warning Share links.* below localhost.*Set SVC_SITES_DOMAIN/)
})

it('asks the content host and a host of a site, and names the next command', async () => {
  const env = { SVC_PUBLIC_URL: `http://localhost:${String(port)}`, SVC_SITES_DOMAIN: 'sites.example.net' }
  const origins = ['content', 'svc-doctor'].map((name) => `http://${name}.sites.example.net:${String(port)}`)
  expect(await check(env)).toEqual(origins.map((origin) => `ok svc answers on ${origin}.`))
  isSvc = false
  const [found] = await check(env)
  expect(found).toContain(`error ${String(origins[0])} is reachable, but svc does not answer there.`)
  expect(found).toContain('dig +short content.sites.example.net')
})

it('a host that cannot be reached is an error', async () => {
  const found = await check({ SVC_PUBLIC_URL: 'http://localhost:1', SVC_SITES_DOMAIN: 'sites.example.net' })
  expect(found).toHaveLength(2)
  for (const text of found) expect(text).toMatch(/^error http:.* cannot be reached from this machine: /)
})

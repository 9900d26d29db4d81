import { X509Certificate } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unlimited } from '../packages/server/src/areas/account/tokens/limits.js'
import { tokenStore } from '../packages/server/src/areas/account/tokens/store.js'
import { startApp, type TestApp } from '../packages/server/test/app.js'
import { ownerOn, type Owner, type ZoneClient } from '../packages/server/test/zone-owner.js'
import { ensure, startPebble, type Pebble } from '../test/servers/index.js'

/** Real ACME clients with the hooks of integrations/acme, against the API and the embedded nameserver. */

const hooks = fileURLToPath(new URL('../integrations/acme', import.meta.url))
const acmeSh = fileURLToPath(new URL('./acme/acme-sh.sh', import.meta.url))

let folder: string
beforeAll(async () => {
  ensure('curl')
  folder = await mkdtemp(join(tmpdir(), 'svc-acme-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function run(command: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(command, args, { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...env } })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

/** The challenge of another ACME client. The hooks must not remove it. */
const foreignValue = 'of-another-client'

const challenges = async (zone: ZoneClient) =>
  (await zone.served('_acme-challenge', 'TXT')).map((record) => record.slice(3))

/** A token that can change the challenges of a zone, and nothing else, as integrations/acme/README.md makes it. */
async function acmeToken(
  { app: { database } }: TestApp,
  { account }: Owner,
  { zone: name }: ZoneClient,
): Promise<string> {
  const hosts = ['_acme-challenge', '_acme-challenge.**']
  const rule = { kind: 'zone', name, hosts, types: ['TXT'], access: 'write' } as const
  const limits = { ...unlimited, rules: [rule] }
  return (await tokenStore(database).create(account, `acme for ${name}`, ['dns:write'], limits)).token
}

describe('Pebble, which validates with the embedded nameserver,', () => {
  let app: TestApp
  let pebble: Pebble
  let owner: Owner
  beforeAll(async () => {
    app = await startApp()
    pebble = await startPebble(app.dnsPort)
    owner = await ownerOn(app)
  })
  afterAll(async () => {
    await pebble.stop()
    await app.stop()
  })

  const claimWithForeignValue = async () => {
    const zone = await owner.claim()
    await zone.add({ type: 'TXT', host: '_acme-challenge', value: foreignValue, ttl: 60 })
    return zone
  }

  async function expectCertificate(zone: ZoneClient, pem: string) {
    expect(new X509Certificate(pem).subjectAltName?.split(', ').sort()).toEqual([
      `DNS:*.${zone.zone}`,
      `DNS:${zone.zone}`,
    ])
    expect(await challenges(zone)).toEqual([foreignValue])
    // Ids are sequential and never reused: records 2 and 3 were the two challenges, now deleted.
    expect((await zone.list()).body['data'].records).toHaveLength(1)
    const created = await zone.add({ type: 'A', host: 'after', value: '192.0.2.1' })
    expect(created['id']).toBe(4)
  }

  it('issues lego a certificate for a zone and its wildcard', async () => {
    const zone = await claimWithForeignValue()
    const { code, stderr } = await run(
      ensure('lego'),
      [
        ...['--server', pebble.url, '--email', 'ada@example.com', '--accept-tos', '--path', join(folder, 'lego')],
        ...['--dns', 'exec', '--dns.resolvers', `127.0.0.1:${app.dnsPort}`, '--dns.disable-cp'],
        ...['-d', zone.zone, '-d', `*.${zone.zone}`, 'run'],
      ],
      {
        LEGO_CA_CERTIFICATES: pebble.ca,
        EXEC_PATH: join(hooks, 'lego-exec.sh'),
        // In seconds. The usual ones are 60 and 2.
        EXEC_SEQUENCE_INTERVAL: '0',
        EXEC_POLLING_INTERVAL: '1',
        SVC_URL: app.url,
        SVC_TOKEN: await acmeToken(app, owner, zone),
      },
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    await expectCertificate(zone, await readFile(join(folder, 'lego/certificates', `${zone.zone}.crt`), 'utf8'))
  })

  it('issues certbot a certificate for a zone and its wildcard', async () => {
    const zone = await claimWithForeignValue()
    // As for renewals: the scripts are in another folder, and a file beside them has the token.
    const installed = join(folder, 'svc-acme')
    await cp(hooks, installed, { recursive: true })
    const token = await acmeToken(app, owner, zone)
    await writeFile(join(installed, 'svc.env'), `SVC_URL=${app.url}/\nSVC_TOKEN=${token}\n`)
    await chmod(join(installed, 'svc.env'), 0o600)
    const { code, stdout, stderr } = await run(
      ensure('certbot'),
      [
        ...['certonly', '--non-interactive', '--agree-tos', '-m', 'ada@example.com', '--server', pebble.url],
        ...['config', 'work', 'logs'].flatMap((name) => [`--${name}-dir`, join(folder, 'certbot', name)]),
        ...['--manual', '--preferred-challenges', 'dns', '--no-eff-email'],
        ...['--manual-auth-hook', join(installed, 'certbot-auth-hook.sh')],
        ...['--manual-cleanup-hook', join(installed, 'certbot-cleanup-hook.sh')],
        ...['-d', zone.zone, '-d', `*.${zone.zone}`],
      ],
      { REQUESTS_CA_BUNDLE: pebble.ca },
    )
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
    await expectCertificate(zone, await readFile(join(folder, `certbot/config/live/${zone.zone}/cert.pem`), 'utf8'))
  })
})

describe('the hooks', () => {
  let app: TestApp
  let owner: Owner
  beforeAll(async () => {
    app = await startApp()
    owner = await ownerOn(app)
  })
  afterAll(() => app.stop())

  const plugin = (args: readonly string[], env: Record<string, string> = {}) =>
    run(acmeSh, args, { ACCOUNT_CONF: join(folder, 'acme.conf'), ...env })
  const hook = (args: readonly string[], env: Record<string, string> = {}) =>
    run(join(hooks, 'svc-txt.sh'), args, { SVC_URL: app.url, SVC_TOKEN: owner.token, ...env })

  it('dns_svc.sh adds several values to a name, removes each separately, and saves its settings', async () => {
    const zone = await owner.claim()
    const name = `_acme-challenge.${zone.zone}`
    const token = await acmeToken(app, owner, zone)
    const settings = { SVC_URL: app.url, SVC_TOKEN: token }
    expect(await plugin(['dns_svc_add', name, '-first_value'], settings)).toMatchObject({ code: 0, stderr: '' })
    expect(await plugin(['dns_svc_add', name, 'second-value'])).toMatchObject({ code: 0, stderr: '' })
    expect(await challenges(zone)).toEqual(['-first_value', 'second-value'])
    expect(await plugin(['dns_svc_rm', name, '-first_value'])).toMatchObject({ code: 0, stderr: '' })
    expect(await challenges(zone)).toEqual(['second-value'])
    const gone = await plugin(['dns_svc_rm', name, '-first_value'])
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining('The record does not exist any more') })
    expect(await plugin(['dns_svc_rm', name, 'second-value'])).toMatchObject({ code: 0, stderr: '' })
    expect(await challenges(zone)).toEqual([])
    expect(await readFile(join(folder, 'acme.conf'), 'utf8')).toBe(
      `SAVED_SVC_URL='${app.url}'\nSAVED_SVC_TOKEN='${token}'\n`,
    )
  })

  it('dns_svc.sh reports errors', async () => {
    const noSettings = { ACCOUNT_CONF: join(folder, 'none.conf') }
    const name = '_acme-challenge.unclaimed.example'
    expect(await plugin(['dns_svc_add', name, 'x'], noSettings)).toMatchObject({
      code: 1,
      stderr: 'Set SVC_URL, such as https://api.example.com, and SVC_TOKEN, a token with the scope dns:write.\n',
    })
    const settings = { ...noSettings, SVC_URL: app.url, SVC_TOKEN: owner.token }
    expect(await plugin(['dns_svc_add', name, 'x'], settings)).toMatchObject({
      code: 1,
      stderr: `This account has no verified zone for ${name}: claim the zone first, or use the token of the account that has it.\n`,
    })
    expect(await plugin(['dns_svc_add', name, 'x'], { ...settings, SVC_TOKEN: 'svc_wrong' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^GET \/v1\/dns\/zones\?status=verified: The Authorization header/),
    })
    expect(await plugin(['dns_svc_add', name, 'x'], { ...settings, SVC_URL: 'http://127.0.0.1:9' })).toMatchObject({
      code: 1,
      stderr: 'GET /v1/dns/zones?status=verified: http://127.0.0.1:9 gave no answer of the API (7)\n',
    })
  })

  it('svc-txt.sh finds the zone of a name, and removes only its own value among similar ones', async () => {
    const zone = await owner.claim()
    await owner.claim(`other-${zone.zone}`)
    const name = `_acme-challenge.A.b.${zone.zone}.`
    const similar = ['{"id":1,"host":"_acme-challenge.a.b","value":"own"}', 'a" : "own', 'own2', 'OWN']
    for (const value of similar) await zone.add({ type: 'TXT', host: '_acme-challenge.a.b', value })
    const before = await zone.served('_acme-challenge.a.b', 'TXT')
    for (let twice = 0; twice < 2; twice++)
      expect(await hook(['add', name, 'own'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await zone.served('_acme-challenge.a.b', 'TXT')).toContain('60 own')
    for (let twice = 0; twice < 2; twice++)
      expect(await hook(['remove', name, 'own'])).toEqual({ code: 0, stdout: '', stderr: '' })
    const after = await zone.served('_acme-challenge.a.b', 'TXT')
    expect(after.map((record) => record.replace(/^\d+/, '3600')).sort()).toEqual([...before].sort())
  })

  it('svc-txt.sh reports errors', async () => {
    const saying = async (args: readonly string[], env: Record<string, string> = {}) => {
      const { code, stderr } = await hook(args, env)
      return `${String(code)} ${stderr.trim()}`
    }
    const name = '_acme-challenge.nobodys.example'
    expect(await saying(['add', name, 'x'])).toMatch(/^1 svc: this account has no verified zone for _acme-challenge/)
    expect(await saying(['add', name, 'x'], { SVC_TOKEN: 'svc_wrong' })).toMatch(
      /^1 svc: GET \/v1\/dns\/zones\?status=verified: 401 The Authorization header/,
    )
    expect(await saying(['add', name, 'x'], { SVC_URL: 'http://127.0.0.1:9' })).toMatch(/:9 cannot be reached$/)
    expect(await saying(['add', name, '"'])).toMatch(/^1 svc: name or value contain characters/)
    expect(await saying(['add', name])).toBe('1 svc: usage: svc-txt.sh add|remove NAME VALUE')
    expect(await saying(['set', name, 'x'])).toBe('1 svc: the first argument must be add or remove, not set')
    expect(await saying(['add', name, 'x'], { SVC_TOKEN: '' })).toBe(
      '1 svc: set SVC_TOKEN to a token with the scope dns:write',
    )
    expect((await run(join(hooks, 'lego-exec.sh'), ['timeout'], {})).stderr).toMatch(
      /must be present or cleanup, not "timeout"/,
    )
    expect((await run(join(hooks, 'lego-exec.sh'), ['present', '--', 'a', 'b', 'c'], {})).stderr).toMatch(/EXEC_MODE/)
  })
})

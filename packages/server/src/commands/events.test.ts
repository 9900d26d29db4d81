import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { databaseKinds, testVault } from '../../test/app.js'
import { startSite, type Site } from '../../test/site.js'
import { dnsSettings } from '../../test/zone-site.js'
import { testAuthority } from '../../test/test-authority.js'
import { sealedRowsStore } from '../app/sealed-rows-store.js'
import { readConfig } from '../config/config.js'
import { backup } from './backup.js'
import { assignZone, claimLegacy, reserveZone, unreserveZone } from './dns.js'
import { deleteZone } from './dns-zones.js'
import { ingestEdgeLog } from './edge-ingest.js'
import { accountEvents, operatorEvents } from './events.js'
import { rotateMasterKey } from '../ports/vault/rotation.js'
import { importCertificate } from './tls-import.js'
import { renewCertificate } from './tls.js'
import { replaceSetupCode } from './setup-code.js'
import { addToken, revokeToken, rotateToken, updateToken } from './token.js'
import { changeEmail } from './user-email.js'
import { deleteUser } from './user-delete.js'
import { deletePlan, limitUser, setPlan } from './user-limit.js'
import { resumeUser, suspendUser } from './user-suspend.js'
import { addUser, resetPassword, unlockUser } from './user.js'

const email = 'ada@example.com'
const password = 'canary password 7f3a'

describe.each(databaseKinds)("the journal of the operator's commands on %s", (kind) => {
  let site: Site
  let config: ReturnType<typeof readConfig>
  const shown: string[] = []
  beforeAll(async () => {
    vi.stubEnv('SUDO_USER', 'grace')
    site = await startSite(kind)
    const settings = readConfig({ env: { SVC_DATA: '/nonexistent' } })
    config = { ...settings, database: site.database, blobs: site.blobs, dns: dnsSettings([]) }
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await site.stop()
  })
  beforeEach(async () => {
    await site.sql('delete from operator_event')
  })

  const journal = async () =>
    (await operatorEvents(site.database, 100))
      .map(({ command, object, account, before, after }) => [command, object, account, before, after])
      .toReversed()
  const own = async (action: string) =>
    (await accountEvents(site.database, email, {}, 100)).events.filter((event) => event.action === action)
  const show = async ({ token, madePassword }: { token?: string; madePassword?: string | undefined }) =>
    void shown.push(...[token, madePassword].filter((secret) => secret !== undefined))

  it('has what commands did with an account, and so has the account, without passwords and tokens', async () => {
    const { database } = config
    await replaceSetupCode(database)
    await addUser(database, { email, nickname: 'Ada', password }, show)
    await resetPassword(database, email, undefined, show)
    await unlockUser(database, email)
    await setPlan(database, 'team', ['zones=50'])
    await setPlan(database, 'team', ['zones=60'])
    await limitUser(database, email, ['files=10'], 'team')
    await limitUser(database, email, ['files=10'], undefined)
    await suspendUser(config, email, true)
    await suspendUser(config, email, true)
    await resumeUser(config, email)
    await addToken(database, { email, name: 'ci', scopes: ['dns:read'] }, show)
    await updateToken(database, email, 'ci', { isPaused: true })
    await rotateToken(database, { email, idOrName: 'ci', keep: undefined }, show)
    await revokeToken(database, email, 'ci')
    expect(await journal()).toEqual([
      ['svc setup-code', '', null, null, null],
      ['svc user add', '', email, null, { email, nickname: 'Ada' }],
      ['svc user password', '', email, null, null],
      ['svc user unlock', email, null, null, null],
      ['svc plan set', 'team', null, null, { limits: ['zones=50'] }],
      ['svc plan set', 'team', null, { limits: ['zones=50'] }, { limits: ['zones=60'] }],
      ['svc user limit', '', email, { plan: null, limits: [] }, { plan: 'team', limits: ['files=10'] }],
      ['svc user suspend', '', email, { state: 'active' }, { state: 'stopped' }],
      ['svc user resume', '', email, { state: 'stopped' }, { state: 'active' }],
      ['svc token add', 'ci', email, null, expect.objectContaining({ scopes: ['dns:read'] })],
      ['svc token update', 'ci', email, { paused: false }, { paused: true }],
      ['svc token rotate', 'ci', email, null, null],
      ['svc token revoke', 'ci', email, null, null],
    ])
    expect((await operatorEvents(database, 1))[0]).toMatchObject({ by: 'grace', at: expect.stringMatching(/Z$/) })
    for (const action of ['password_change', 'limits_change', 'token_revoke'])
      expect(await own(action)).toMatchObject([{ actor: { kind: 'operator', id: null }, network: null }])
    expect(await own('state_change')).toHaveLength(2)
    const rows = JSON.stringify([
      await site.sql('select * from operator_event'),
      await site.sql('select * from account_event'),
    ])
    expect(shown).toHaveLength(3)
    for (const canary of [password, 'argon2', ...shown]) expect(rows).not.toContain(canary)
  })

  it('has what commands did with zones and plans, and not what they left as it was', async () => {
    await assignZone(config, 'shop.com', email)
    await reserveZone(config.database, 'kept.com')
    await reserveZone(config.database, 'kept.com')
    await unreserveZone(config.database, 'kept.com')
    await unreserveZone(config.database, 'kept.com')
    await claimLegacy(config, email, 'legacy.com')
    await deleteZone(config, 'shop.com')
    await limitUser(config.database, email, [], 'none')
    await deletePlan(config.database, 'team')
    expect(await journal()).toEqual([
      ['svc dns assign', 'shop.com', email, null, null],
      ['svc dns reserve', 'kept.com', null, null, null],
      ['svc dns reserve --remove', 'kept.com', null, null, null],
      ['svc dns claim-legacy', 'legacy.com', email, null, null],
      ['svc dns delete', 'shop.com', email, null, null],
      ['svc user limit', '', email, { plan: 'team' }, { plan: null }],
      ['svc plan delete', 'team', null, null, null],
    ])
  })

  it('has no event of a command that fails', async () => {
    const failures = [
      addUser(config.database, { email, nickname: '', password }, show),
      changeEmail(config.database, email, email),
      deletePlan(config.database, 'unknown'),
      limitUser(config.database, email, [], 'unknown'),
      revokeToken(config.database, email, 'unknown'),
      suspendUser(config, 'nobody@example.com', false),
      replaceSetupCode(config.database),
    ]
    await Promise.allSettled(failures)
    expect(await journal()).toEqual([])
  })

  it('has what commands did with certificates and the master key, without keys', async () => {
    await site.account('cert@example.com')
    await site.sql('delete from operator_event')
    const names = ['own.example']
    await site.sql(`insert into certificate (names, next_at, failures) values ('["own.example"]', 1e15, 0)`)
    const zone = 'events.example'
    await site.sql(
      `insert into certificate (account_id, zone, names, created_at, next_at, failures, wanted)
        select id, '${zone}', '["${zone}"]', 1, 1e15, 0, 1 from account where email = 'cert@example.com'`,
    )
    const authority = testAuthority()
    onTestFinished(() => authority.remove())
    const folder = await mkdtemp(join(tmpdir(), 'svc-events-'))
    const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
    for (const name of [...names, zone]) {
      const { chain, key } = authority.issue([name])
      await writeFile(files.certificate, chain)
      await writeFile(files.key, key)
      await importCertificate({ ...config, vault: testVault }, files, name)
    }
    for (const name of [...names, zone]) await renewCertificate(config, name)
    const keys: string[] = []
    const db = site.app.database
    const showKey = async (text: string) => void keys.push(text)
    const rotation = {
      db,
      secrets: sealedRowsStore(db),
      config: testVault,
      followMs: 0,
      showKey,
      note: () => undefined,
    }
    await rotateMasterKey(rotation)
    await rm(folder, { recursive: true })
    const stored = (domain: string) => ({ domains: [domain], not_after: expect.stringMatching(/Z$/) })
    expect(await journal()).toEqual([
      ['svc tls import', '', null, null, stored('own.example')],
      ['svc tls import', zone, 'cert@example.com', null, stored(zone)],
      ['svc tls renew', '', null, null, { domains: names }],
      ['svc tls renew', zone, 'cert@example.com', null, { domains: [zone] }],
      ['svc key rotate', expect.any(String), null, null, null],
    ])
    const rows = JSON.stringify(await site.sql('select * from operator_event'))
    for (const canary of ['PRIVATE KEY', folder, ...keys]) expect(rows).not.toContain(canary)
  })

  it('has reads of the whole database and of logs, and not what they read', async () => {
    const copy = new PassThrough()
    copy.resume()
    await backup(config, copy, { withMasterKey: false, onProgress: () => undefined })
    const edge = { kind: 'varnish', url: 'http://127.0.0.1:1' } as const
    await ingestEdgeLog({ ...config, edge }, Readable.from([]))
    expect(await journal()).toEqual([
      ['svc backup', '', null, null, null],
      ['svc edge ingest', '', null, null, null],
    ])
  })

  it('keeps the email of an account that was renamed and deleted, whose own events have gone', async () => {
    await changeEmail(config.database, email, 'new@example.com')
    const [{ id } = { id: 0 }] = await site.sql(`select id from account where email = 'new@example.com'`)
    await deleteUser(config, 'new@example.com', { confirm: () => Promise.resolve() })
    expect(await journal()).toEqual([
      ['svc user email', '', 'new@example.com', { email }, { email: 'new@example.com' }],
      ['svc user delete', 'new@example.com', 'new@example.com', null, null],
    ])
    expect(await site.sql(`select id from account_event where account_id = ${String(id)}`)).toEqual([])
  })

  it('a command whose output fails leaves the account away, and says so', async () => {
    const failing = addUser(config.database, { email: 'lost@example.com', nickname: '', password: undefined }, () =>
      Promise.reject(new Error('stdout is closed')),
    )
    await expect(failing).rejects.toThrow('stdout is closed')
    expect(await journal()).toEqual([
      ['svc user add', '', 'lost@example.com', null, { email: 'lost@example.com', nickname: '' }],
      ['svc user add', 'lost@example.com', null, null, { state: 'deleted' }],
    ])
    expect(
      await site.sql('select account_id from account_event where account_id not in (select id from account)'),
    ).toEqual([])
  })

  it('lists the events of an account by area, object and token, and refuses unknown ones', async () => {
    const bob = await site.account('bob@example.com')
    await site.token(bob, 'dns:read')
    await addToken(config.database, { email: bob.email, name: 'ci', scopes: ['dns:read'] }, show)
    const list = (filter: object, limit = 100) => accountEvents(site.database, bob.email, filter, limit)
    expect((await list({ object: 'ci' })).events).toMatchObject([
      { action: 'token_create', actor: { name: 'svc token add' } },
    ])
    expect(await list({ area: 'dns' })).toEqual({ events: [], total: 0 })
    expect((await list({ token: 'ci' })).total).toBe(0)
    expect((await list({ token: '7' })).total).toBe(0)
    expect(await list({}, 1)).toMatchObject({ events: [{ object: 'ci' }], total: 3 })
    await expect(list({ area: 'mail' })).rejects.toThrow('--area must be one of account, dns,')
    await expect(list({ token: 'unknown' })).rejects.toThrow('has no token with the name "unknown"')
  })
})

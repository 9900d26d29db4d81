import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ensure } from '../../../../../../test/servers/index.js'
import { databaseKinds, testVault, type Envelope } from '../../../../test/app.js'
import { exchangeUdp, queryPacket } from '../../../../test/dns-ask.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import type { Database } from '../../../db/port.js'
import { openVault } from '../../../ports/vault/envelope-vault.js'
import { TsigSigner, type TsigKey } from '../../../ports/dns/wire/tsig.js'
import { findTsig } from '../../../ports/dns/wire/tsig-record.js'
import { operatorKeys } from '../../dns/keys/operator-keys.js'
import { dnsKeyStore } from '../../dns/keys/store.js'
import { accountStore } from '../accounts/store.js'
import { tokenAuthenticator } from './authenticator.js'
import { tokenStore } from './store.js'
import { tsigKeys } from './tsig-keys.js'

/** Tokens that sign DNS messages, as the console creates them on its page "API keys". */

interface Created {
  readonly id: number
  readonly name: string
  readonly secret: string
  readonly tsig: { readonly name: string; readonly algorithm: TsigKey['algorithm'] }
}

describe.each(databaseKinds)('keys that sign DNS messages on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let ada: Browser
  let email = ''
  let count = 0
  beforeEach(async () => {
    email = `ada${String(++count)}@example.com`
    await site.account(email)
    ada = await site.browser(email)
  })

  const post = (path: string, body: unknown) => ada.call('POST', `/keys${path}`, { body })
  const make = async (more: object = {}) => {
    const answer = await post('/tsig', { name: `nsupdate ${String(count)}`, scopes: ['dns:write'], ...more })
    return answer.body['data'] as Created
  }
  const list = async () => (await ada.call('GET', '/keys')).body['data'].keys as Envelope[]
  const toKey = ({ tsig, secret }: Created): TsigKey => ({ ...tsig, secret: Buffer.from(secret, 'base64') })

  /** @returns the error of the answer's TSIG; 0 for an accepted key */
  async function errorFor(key: TsigKey, port = site.dnsPort): Promise<number> {
    const packet = new TsigSigner(key).sign(queryPacket('unknown.test', 'A'), Math.floor(Date.now() / 1000))
    return findTsig(await exchangeUdp(packet, port))!.error
  }
  const badKey = 17

  it('create answers with the secret once, and dig gets signed answers with it', async () => {
    const created = await make()
    const { secret, ...shown } = created
    expect(created.tsig.name).toMatch(new RegExp(`^${String(created.id)}\\.[0-9a-f]{16}\\.key$`))
    expect(shown).toMatchObject({ prefix: 'tsig', tsig: { algorithm: 'hmac-sha256' }, status: 'active' })
    expect(Buffer.from(secret, 'base64')).toHaveLength(32)
    expect(await list()).toEqual([shown])
    const { algorithm, name } = created.tsig
    const args = ['@127.0.0.1', '-p', String(site.dnsPort), '-y', `${algorithm}:${name}:${secret}`, 'unknown.test']
    const { stdout } = await promisify(execFile)(ensure('dig'), args)
    expect(stdout).toContain('status: REFUSED')
    expect(stdout).toMatch(/TSIG\s.* NOERROR 0/)
    expect(stdout).not.toContain("Couldn't verify")
  })

  it('hmac-sha512 has a secret of 64 octets, and no other algorithm works with a key', async () => {
    const created = await make({ algorithm: 'hmac-sha512' })
    expect(Buffer.from(created.secret, 'base64')).toHaveLength(64)
    expect(await errorFor(toKey(created))).toBe(0)
    expect(await errorFor({ ...toKey(created), algorithm: 'hmac-sha256' })).toBe(badKey)
    expectError(await post('/tsig', { name: 'md5', algorithm: 'hmac-md5' }), 'bad_request')
  })

  it('is revoked, paused and resumed from the next message on', async () => {
    const created = await make()
    const key = toKey(created)
    expect(await errorFor(key)).toBe(0)
    await post('/update', { id: created.id, paused: true })
    expect(await errorFor(key)).toBe(badKey)
    await post('/update', { id: created.id, paused: false })
    expect(await errorFor(key)).toBe(0)
    await post('/revoke', { id: created.id })
    expect(await errorFor(key)).toBe(badKey)
  })

  it('works from its networks and until its end only, and not for a suspended account', async () => {
    expect(await errorFor(toKey(await make({ name: 'here', networks: ['127.0.0.0/8'] })))).toBe(0)
    expect(await errorFor(toKey(await make({ name: 'elsewhere', networks: ['192.0.2.0/24'] })))).toBe(badKey)
    const ending = await make({ name: 'ending', expires_at: '2127-01-31T00:00:00Z' })
    expect(await errorFor(toKey(ending))).toBe(0)
    await site.sql(`update token set expires_at = 1 where id = ${String(ending.id)}`)
    expect(await errorFor(toKey(ending))).toBe(badKey)
    const last = await make({ name: 'suspended' })
    await site.sql(`update account set state = 'stopped' where email = '${email}'`)
    expect(await errorFor(toKey(last))).toBe(badKey)
  })

  it('its handler gets the account, the rules, the scopes and the address, and the use is noted', async () => {
    const rules = [{ kind: 'zone', name: 'example.com', access: 'write' }]
    const created = await make({ rules })
    const { database } = site.app
    const [vault, installation] = [await openVault(testVault, database), created.tsig.name.split('.')[1]!]
    const tokens = tokenAuthenticator(database)
    const key = await tsigKeys({ database, vault, installation, tokens }).byName(created.tsig.name)
    expect(key).toMatchObject({ name: created.tsig.name, algorithm: 'hmac-sha256', secret: toKey(created).secret })
    expect(key!.signer({ address: '192.0.2.7', port: 53, transport: 'udp' })).toMatchObject({
      kind: 'account',
      caller: {
        tokenId: created.id,
        scopes: ['dns:write'],
        account: { email, rules, actor: { kind: 'token', id: created.id, ip: '192.0.2.7' } },
      },
    })
    await tokens.saveUses()
    expect(await list()).toMatchObject([{ last_used_network: '192.0.2.0/24', last_used_at: expect.any(String) }])
  })

  it('another process refuses a key that this one has revoked, from the next message on', async () => {
    const other = await site.another()
    const created = await make()
    expect(await errorFor(toKey(created), other.dnsPort)).toBe(0)
    await post('/revoke', { id: created.id })
    expect(await errorFor(toKey(created), other.dnsPort)).toBe(badKey)
    await other.stop()
  })

  it('is no Bearer token, and cannot become one by a rotation', async () => {
    const created = await make()
    for (const value of [created.secret, Buffer.from(created.secret, 'base64').toString('hex'), created.tsig.name])
      expect((await site.call('GET', '/v1/account/me', { token: value })).status).toBe(401)
    const refused = await post('/rotate', { id: created.id })
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toBe(
      `"${created.name}" is a TSIG key, whose secret cannot change: create another key, give it to the clients, then revoke this one.`,
    )
    expect(await errorFor(toKey(created))).toBe(0)
  })

  it('a key of another installation, a Bearer token and an unknown id are unknown keys', async () => {
    const created = await make()
    const key = toKey(created)
    const other = key.name.replace(/\.[0-9a-f]{16}\./, '.0000000000000000.')
    expect(await errorFor({ ...key, name: other })).toBe(badKey)
    const account = (await accountStore(site.app.database).byEmail(email))!
    const bearer = await tokenStore(site.app.database).create(account, 'bearer', ['*'])
    for (const id of [bearer.id, 999_999_999, 0])
      expect(await errorFor({ ...key, name: key.name.replace(/^\d+/, String(id)) })).toBe(badKey)
  })

  it('a flood of invented names reads the database a few times', async () => {
    const created = await make()
    const { database } = site.app
    let reads = 0
    const one: Database['one'] = (query, parameters) => {
      reads++
      return database.one(query, parameters)
    }
    const all: Database['all'] = (query, parameters) => {
      reads++
      return database.all(query, parameters)
    }
    const commitNumber = () => database.commitNumber()
    const counting = { one, all, commitNumber } as unknown as Database
    const [vault, installation] = [await openVault(testVault, database), created.tsig.name.split('.')[1]!]
    const tokens = tokenAuthenticator(database)
    const accounts = tsigKeys({ database: counting, vault, installation, tokens })
    const ofOperator = operatorKeys(counting, vault)
    for (let n = 0; n < 500; n++) {
      expect(await accounts.byName(`${String(created.id + 5_000 + n)}.${installation}.key`)).toBeUndefined()
      expect(await accounts.byName(`${String(created.id)}.${'0'.repeat(16)}.key`)).toBeUndefined()
      expect(await ofOperator.byName(`unknown${String(n)}.example.net`)).toBeUndefined()
    }
    // Two for each quarter of a second.
    expect(reads).toBeLessThan(100)
    expect(await accounts.byName(created.tsig.name)).toBeDefined()
  })

  it('a change of the secret in the database is BADKEY, and the key of another row does not open', async () => {
    const [one, two] = [await make({ name: 'one' }), await make({ name: 'two' })]
    await site.sql(
      `update token set sealed = (select sealed from token where id = ${String(one.id)}) where id = ${String(two.id)}`,
    )
    expect(await errorFor(toKey(two))).toBe(badKey)
    expect(await errorFor({ ...toKey(two), secret: toKey(one).secret })).toBe(badKey)
    expect(await errorFor(toKey(one))).toBe(0)
  })

  it('the journal has the key without its secret', async () => {
    const created = await make()
    const events = await ada.call('GET', '/account/events')
    expect(events.text).not.toContain(created.secret)
    expect(events.body['data'].events[0]).toMatchObject({
      action: 'token_create',
      object: created.name,
      after: { algorithm: 'hmac-sha256', scopes: ['dns:write'] },
    })
  })

  it("the operator's keys are found by their names until they are removed", async () => {
    const { database } = site.app
    const vault = await openVault(testVault, database)
    const keys = dnsKeyStore(database)
    const secret = Buffer.from(await keys.add(vault, 'ns2.example.net', 'hmac-sha256'), 'base64')
    const key: TsigKey = { name: 'ns2.example.net', algorithm: 'hmac-sha256', secret }
    expect(await errorFor(key)).toBe(0)
    expect(await errorFor({ ...key, name: 'NS2.example.NET' })).toBe(0)
    await expect(keys.add(vault, 'ns2.example.net', 'hmac-sha512')).rejects.toThrow('is taken')
    expect(await keys.remove('ns2.example.net')).toBe(true)
    expect(await errorFor(key)).toBe(badKey)
    expect(await keys.remove('ns2.example.net')).toBe(false)
  })
})

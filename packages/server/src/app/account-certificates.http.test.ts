import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort, startPebble, type Pebble } from '../../../../test/servers/index.js'
import { databaseKinds } from '../../test/app.js'
import { startDomains, type Domains } from '../../test/domain-site.js'
import { tlsClient } from '../../test/tls-client.js'
import { dataOf, expected_ns } from '../../test/zone-site.js'

/** Certificates of accounts that a server orders at Pebble, and serves. */

const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 30_000, interval: 50 })
const passphrase = 'correct horse battery'

async function listen(server: Server | undefined): Promise<number> {
  if (server === undefined) throw new Error('no TLS')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe.each(databaseKinds)('certificates of accounts, ordered, on %s', (kind) => {
  let pebble: Pebble
  let domains: Domains
  let port: number
  beforeAll(async () => {
    const dnsPort = await freePort()
    pebble = await startPebble(dnsPort)
    domains = await startDomains(kind, {
      acme: { directoryUrl: pebble.url, email: undefined, profile: undefined, externalAccount: undefined },
      tls: { port: 0, publicUrl: 'https://api.svc.test', redirectPort: 0, files: undefined },
      dnsPort,
    })
    port = await listen(domains.zones.site.app.tls?.server)
  })
  afterAll(async () => {
    await domains.zones.stop()
    await pebble.stop()
  })

  const post = (person: 'ada' | 'bob', path: string, body: object) =>
    domains.browsers[person].call('POST', `/tls/certificates${path}`, { body })
  const certificates = async (person: 'ada' | 'bob') =>
    dataOf(await domains.browsers[person].call('GET', '/tls/certificates'))['certificates'] as Record<string, unknown>[]

  /** The public key of the certificate that the server presents for a name. */
  const presented = async (name: string) => {
    const socket = await tlsClient(port, await pebble.root()).open(name)
    const found = socket.getPeerX509Certificate()?.publicKey.export({ format: 'pem', type: 'spki' })
    socket.destroy()
    return found
  }

  it('a wildcard of a zone is trusted within seconds, and the downloaded key is that of the served certificate', async () => {
    dataOf(await domains.zones.claim('ada', 'ada.com'))
    domains.zones.delegate('ada.com', ...expected_ns)
    dataOf(await post('ada', '', { zone: 'ada.com' }))
    const served = await soon(() => presented('any.ada.com'))
    expect(await presented('ada.com')).toBe(served)
    expect(await certificates('ada')).toMatchObject([{ zone: 'ada.com', status: 'issued', error: null }])
    const { certificate, private_key: key } = dataOf(await post('ada', '/key', { zone: 'ada.com', passphrase }))
    const opened = createPrivateKey({ key: key as string, passphrase })
    const leaf = new X509Certificate(certificate as string)
    expect([leaf.checkPrivateKey(opened), leaf.publicKey.export({ format: 'pem', type: 'spki' })]).toEqual([
      true,
      served,
    ])
  })

  it('the own domain of a site is served with HTTPS soon after it is added', async () => {
    dataOf(await domains.zones.claim('ada', 'own.com'))
    domains.zones.delegate('own.com', ...expected_ns)
    await domains.deploy('ada', 'docs')
    dataOf(await domains.add('ada', 'docs', 'www.own.com'))
    const client = tlsClient(port, await pebble.root())
    await soon(async () => expect(await client.get('www.own.com', '/')).toMatchObject({ text: 'page of docs' }))
    expect((await certificates('ada')).find(({ site }) => site === 'docs')).toMatchObject({
      names: ['www.own.com'],
      zone: null,
      status: 'issued',
    })
    await expect(client.open('other.own.com')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
  })

  it('a zone that is not delegated is not ordered; the list says what to do, and renew repeats the order', async () => {
    dataOf(await domains.zones.claim('ada', 'later.com'))
    domains.zones.delegate('later.com', 'ns.elsewhere.example')
    dataOf(await post('ada', '', { zone: 'later.com' }))
    const state = async () => (await certificates('ada')).find(({ zone }) => zone === 'later.com')!
    await soon(async () => expect((await state())['status']).toBe('failed'))
    expect((await state())['error']).toBe(
      `The domain later.com has ns.elsewhere.example, not ${expected_ns.join(' or ')}: change its NS records at the registrar.`,
    )
    domains.zones.delegate('later.com', ...expected_ns)
    dataOf(await post('ada', '/renew', { zone: 'later.com' }))
    await soon(async () => expect(await state()).toMatchObject({ status: 'issued', error: null }))
  })

  it('an own domain whose first order has failed is ordered when it is added again', async () => {
    dataOf(await domains.zones.claim('ada', 'late.com'))
    domains.zones.delegate('late.com', 'ns.elsewhere.example')
    await domains.deploy('ada', 'late')
    dataOf(await domains.add('ada', 'late', 'www.late.com'))
    const state = async () => (await certificates('ada')).find(({ site }) => site === 'late')!
    await soon(async () => expect((await state())['status']).toBe('failed'))
    await domains.zones.site.sql(
      `update certificate set failures = 9, next_at = 9000000000000 where names = '["www.late.com"]'`,
    )
    domains.zones.delegate('late.com', ...expected_ns)
    dataOf(await domains.add('ada', 'late', 'www.late.com'))
    await soon(async () => expect(await state()).toMatchObject({ status: 'issued', error: null }))
    const nextAttempt = async () => String((await state())['next_attempt'])
    await soon(async () => expect(Date.parse(await nextAttempt())).toBeGreaterThan(Date.now() + 3_600_000))
    const planned = await nextAttempt()
    dataOf(await domains.add('ada', 'late', 'www.late.com'))
    expect(await nextAttempt()).toBe(planned)
  })

  it('who deletes and orders a certificate again does not reach the CA sooner', async () => {
    const order = async (zone: string) => {
      dataOf(await domains.zones.claim('ada', zone))
      domains.zones.delegate(zone, ...expected_ns)
      // The order begins, and then finds that it cannot show its proof.
      const alias = { type: 'CNAME', host: '_acme-challenge', value: 'elsewhere.example' }
      dataOf(await domains.browsers.ada.call('POST', `/dns/zones/${zone}/records`, { body: alias }))
      dataOf(await post('ada', '', { zone }))
      await soon(async () =>
        expect((await certificates('ada')).find((one) => one['zone'] === zone)).toMatchObject({ status: 'failed' }),
      )
    }
    const times = () =>
      domains.zones.site.sql(`select failures, next_at from certificate where zone = 'again.com' and error is not null`)
    await order('again.com')
    await domains.zones.site.sql(
      `update certificate set failures = 5, next_at = 9000000000000 where zone = 'again.com'`,
    )
    const before = await times()
    dataOf(await post('ada', '/delete', { zone: 'again.com' }))
    // After its order, ended certificates have been removed.
    await order('later-still.com')
    dataOf(await post('ada', '', { zone: 'again.com' }))
    expect(await times()).toEqual(before)
    expect(before).toHaveLength(1)
  })

  it('a zone that goes to another account is served with a new key, and until then with none', async () => {
    dataOf(await domains.zones.claim('ada', 'moves.com'))
    domains.zones.delegate('moves.com', ...expected_ns)
    dataOf(await post('ada', '', { zone: 'moves.com' }))
    const adas = await soon(() => presented('www.moves.com'))
    const claim = dataOf(await domains.zones.claim('bob', 'moves.com'))
    domains.zones.publish('moves.com', [(claim['verification'] as { value: string }).value])
    expect(dataOf(await domains.zones.verify('bob', 'moves.com'))['status']).toBe('verified')
    await soon(() =>
      expect(presented('www.moves.com')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' }),
    )
    dataOf(await post('bob', '', { zone: 'moves.com' }))
    const bobs = await soon(() => presented('www.moves.com'))
    expect(bobs).not.toBe(adas)
    expect(JSON.stringify(await certificates('ada'))).toContain('is not verified for this account')
    expect((await post('ada', '/key', { zone: 'moves.com', passphrase })).status).toBe(403)
  })
})

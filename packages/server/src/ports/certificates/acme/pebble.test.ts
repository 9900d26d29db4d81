import { createServer as createHttpServer } from 'node:http'
import { X509Certificate } from 'node:crypto'
import { createServer as createTlsServer } from 'node:tls'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, startPebble, type Pebble } from '../../../../../../test/servers/index.js'
import { startPebbleFront, type PebbleFront } from '../../../../test/pebble-front.js'
import { embeddedDns, type EmbeddedDns } from '../../dns/embedded/embedded-dns.js'
import type { RRset } from '../../dns/port.js'
import { guardedConnections } from '../../outbound/guarded-connections.js'
import { acmeClient, type AcmeClient, type AcmeClientOptions } from './client.js'
import { accountKeyOf } from './jws.js'
import { presentedCertificate, type ChallengeType, type Proof, type ProofPublisher } from './proof.js'
import { newKey, renewalIdOf } from './x509.js'

/** The client against Pebble, which verifies the proofs over DNS, HTTP and TLS. */

const zone = 'pebble.test'
const { signal } = new AbortController()
let dns: EmbeddedDns
let serial = 1
beforeAll(async () => {
  dns = await embeddedDns({
    host: '127.0.0.1',
    port: 0,
    nameservers: ['ns1.pebble.test'],
    log: pino({ level: 'silent' }),
  })
  await dns.setZone({ zone, serial, rrsets: [record('www', 'A', ['127.0.0.1']), record('alpn', 'A', ['127.0.0.1'])] })
})
afterAll(() => dns.close())

const record = (host: string, type: 'A' | 'TXT', values: readonly string[]): RRset => {
  const records = values.map((value) => ({ value, priority: null }))
  return { name: `${host}.${zone}`, type, ttl: 60, records }
}

const start = (options: Parameters<typeof startPebble>[1] = {}) => startPebble(dns.addresses[0]!.port, options)

const clientOf = (directoryUrl: URL, options: Partial<AcmeClientOptions> = {}): AcmeClient =>
  acmeClient({
    directoryUrl,
    connections: guardedConnections({ allowed: [], trustedUrl: `${directoryUrl.origin}/` }),
    accountKey: accountKeyOf(newKey()),
    email: 'ada@example.com',
    externalAccount: undefined,
    ...options,
  })

const dnsValues = (proofs: readonly Proof[]) =>
  proofs.flatMap((proof) => (proof.type === 'dns-01' ? [proof.value] : []))

/** Proves names by dns-01. */
const byDns: ProofPublisher = {
  typesFor: () => Promise.resolve(['dns-01']),
  publish: (proofs) =>
    dns.publish({ zone, serial: ++serial, rrsets: [record('_acme-challenge', 'TXT', dnsValues(proofs))] }),
  withdraw: () => dns.publish({ zone, serial: ++serial, rrsets: [record('_acme-challenge', 'TXT', [])] }),
}

const namesOf = (pem: string) => new X509Certificate(pem).subjectAltName?.split(', ').sort()

describe('with Pebble and a front with renewal information and profiles,', () => {
  let pebble: Pebble
  let front: PebbleFront
  let client: AcmeClient
  beforeAll(async () => {
    pebble = await start()
    front = await startPebbleFront(pebble)
    client = clientOf(front.directoryUrl)
  })
  afterAll(async () => {
    await front.stop()
    await pebble.stop()
  })

  it('orders a domain and its wildcard with dns-01, and removes the proofs', async () => {
    const key = newKey()
    const names = [zone, `*.${zone}`]
    const chain = await client.order({ names, key, proofs: byDns }, signal)
    expect(namesOf(chain.pem)).toEqual([`DNS:*.${zone}`, `DNS:${zone}`])
    expect(chain.leaf.checkPrivateKey(key)).toBe(true)
    // Pebble's intermediate follows, and its root does not.
    const [, intermediate] = chain.pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []
    const root = new X509Certificate(await pebble.root())
    expect(new X509Certificate(intermediate!).verify(root.publicKey)).toBe(true)
    expect((await dns.zone(zone))?.map(({ name }) => name)).not.toContain(`_acme-challenge.${zone}`)
  })

  it('orders a renewal with its profile, and names the certificate that it replaces', async () => {
    const names = [zone]
    const { pem } = await client.order({ names, key: newKey(), proofs: byDns }, signal)
    await client.order({ names, key: newKey(), proofs: byDns, replaces: pem, profile: 'shortlived' }, signal)
    expect(front.orders.at(-1)).toEqual({
      identifiers: [{ type: 'dns', value: zone }],
      profile: 'shortlived',
      replaces: renewalIdOf(pem),
    })
  })

  it('reads the renewal window of a certificate', async () => {
    const { pem } = await client.order({ names: [zone], key: newKey(), proofs: byDns }, signal)
    front.renewalInfo = {
      body: {
        suggestedWindow: { start: '2026-12-01T00:00:00Z', end: '2026-12-02T00:00:00Z' },
        explanationURL: 'https://ca.test/incident',
      },
      retryAfter: '7200',
    }
    expect(await client.renewalInfo(pem, signal)).toEqual({
      start: Date.UTC(2026, 11, 1),
      end: Date.UTC(2026, 11, 2),
      askAgainMs: 7_200_000,
      explanationUrl: 'https://ca.test/incident',
    })
    expect(front.asked.at(-1)).toBe(renewalIdOf(pem))
  })

  it('fails with the profiles of the CA for an unknown one, before it proves anything', async () => {
    const order = client.order({ names: [zone], key: newKey(), proofs: byDns, profile: 'weekly' }, signal)
    await expect(order).rejects.toMatchObject({
      failure: 'settings',
      message: 'The CA has no profile weekly; it offers default, shortlived.',
    })
  })

  it('fails with the words of the CA if it does not see the proof', async () => {
    const proofs: ProofPublisher = { ...byDns, publish: () => Promise.resolve() }
    const order = client.order({ names: [`*.${zone}`], key: newKey(), proofs }, signal)
    await expect(order).rejects.toMatchObject({
      failure: 'challenge_failed',
      message: expect.stringMatching(/^The CA could not verify \*\.pebble\.test with dns-01: .*TXT.* \(\w+\)\.$/i),
    })
  })

  it('fails with the words of the CA for a name that it does not accept', async () => {
    const order = client.order({ names: ['*.*.pebble.test'], key: newKey(), proofs: byDns }, signal)
    await expect(order).rejects.toMatchObject({
      failure: 'refused',
      message: expect.stringMatching(/^The CA refused: .*\(\w+\)\.$/),
    })
  })
})

describe('with Pebble alone,', () => {
  it('orders with http-01 and tls-alpn-01, although the CA refuses some good nonces', async () => {
    const pebble = await start({ noncesRefused: 10 })
    const served = new Map<string, string>()
    const web = createHttpServer((request, response) => response.end(served.get(request.url ?? '') ?? 'nothing'))
    await new Promise<void>((resolve) => web.listen(pebble.httpPort, '127.0.0.1', resolve))
    let tls: ReturnType<typeof createTlsServer> | undefined
    const publish: ProofPublisher['publish'] = async (proofs) => {
      for (const proof of proofs) {
        if (proof.type === 'http-01') served.set(`/.well-known/acme-challenge/${proof.token}`, proof.keyAuthorization)
        if (proof.type !== 'tls-alpn-01') continue
        const { chain: cert, key } = presentedCertificate(proof)
        tls = createTlsServer({ cert, key, ALPNProtocols: ['acme-tls/1'] }, (socket) =>
          socket.on('error', () => undefined).end(),
        )
        await new Promise<void>((resolve) => tls?.listen(pebble.tlsPort, '127.0.0.1', resolve))
      }
    }
    const typeOf = (name: string): ChallengeType => (name.startsWith('alpn') ? 'tls-alpn-01' : 'http-01')
    const proofs: ProofPublisher = {
      typesFor: (name) => Promise.resolve([typeOf(name)]),
      publish,
      withdraw: async () => served.clear(),
    }
    try {
      const names = [`www.${zone}`, `alpn.${zone}`]
      const chain = await clientOf(new URL(pebble.url)).order({ names, key: newKey(), proofs }, signal)
      expect(namesOf(chain.pem)).toEqual([`DNS:alpn.${zone}`, `DNS:www.${zone}`])
      expect(served.size).toBe(0)
    } finally {
      tls?.close()
      web.close()
      await pebble.stop()
    }
  })

  it('binds its account to an external one, and says so if it is missing', async () => {
    const mac = Buffer.alloc(32, 7)
    const pebble = await start({ externalAccounts: { 'kid-1': mac.toString('base64url') } })
    try {
      const url = new URL(pebble.url)
      const order = { names: [zone], key: newKey(), proofs: byDns }
      const bound = clientOf(url, { externalAccount: { kid: 'kid-1', key: mac } })
      expect(namesOf((await bound.order(order, signal)).pem)).toEqual([`DNS:${zone}`])
      await expect(clientOf(url).order(order, signal)).rejects.toMatchObject({ failure: 'settings' })
      const wrong = clientOf(url, { externalAccount: { kid: 'kid-1', key: Buffer.alloc(32, 8) } })
      await expect(wrong.order(order, signal)).rejects.toMatchObject({ failure: 'refused' })
    } finally {
      await pebble.stop()
    }
  })

  it('fails if the CA cannot be reached', async () => {
    const client = clientOf(new URL(`https://localhost:${await freePort()}/dir`))
    const order = client.order({ names: [zone], key: newKey(), proofs: byDns }, signal)
    await expect(order).rejects.toMatchObject({
      failure: 'unavailable',
      message: 'The CA cannot be reached: The target refused the connection.',
    })
  })
})

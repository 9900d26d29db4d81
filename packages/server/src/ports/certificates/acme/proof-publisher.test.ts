import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { accountKeyOf } from './jws.js'
import { openProofStore, type OpenProofStore } from './open-proof-store.js'
import { proofPublisher } from './proof-publisher.js'
import { proofOf, type Proof, type ProofPublisher } from './proof.js'
import { newKey } from './x509.js'

const accountKey = accountKeyOf(newKey())
const { signal } = new AbortController()

describe.each(databaseKinds)('proofs on %s', (kind) => {
  let place: TwoProcesses
  let other: OpenProofStore
  let publisher: ProofPublisher
  let served: string[]
  const logged: string[] = []
  beforeAll(async () => {
    place = await twoProcesses(kind)
    other = openProofStore(place.otherDb)
  })
  afterAll(() => place.stop())
  beforeEach(() => {
    served = []
    publisher = publisherWith(openProofStore(place.db))
  })

  const publisherWith = (open: Pick<OpenProofStore, 'add' | 'remove'>) =>
    proofPublisher({
      dns: {
        zoneOf: (name) => Promise.resolve(['ours.test', 'moved.test'].find((zone) => name.endsWith(`.${zone}`))),
        publish: async (values) => void served.push(...values.map(({ name, value }) => `${name} ${value}`)),
        withdraw: async () => void served.splice(0),
      },
      isDelegated: (zone) => Promise.resolve(zone === 'ours.test'),
      open,
      atPorts: ['tls-alpn-01', 'http-01'],
      log: { warn: (_: unknown, text?: string) => logged.push(text ?? '') },
    })
  const http = proofOf('http-01', 'www.test', 'token-of-twenty-characters', accountKey)
  const alpn = proofOf('tls-alpn-01', 'www.test', 'token-of-twenty-characters', accountKey)
  const dns = proofOf('dns-01', 'ours.test', 'token-of-twenty-characters', accountKey)

  it('names of zones of svc are proven in DNS, other names at the ports, and other wildcards not at all', async () => {
    expect(await publisher.typesFor('ours.test', true)).toEqual(['dns-01'])
    expect(await publisher.typesFor('www.ours.test', false)).toEqual(['dns-01', 'tls-alpn-01', 'http-01'])
    expect(await publisher.typesFor('www.test', false)).toEqual(['tls-alpn-01', 'http-01'])
    expect(await publisher.typesFor('www.test', true)).toEqual([])
  })

  it('a host of a zone that svc has and that is not delegated to it is proven at the ports', async () => {
    expect(await publisher.typesFor('moved.test', false)).toEqual(['tls-alpn-01', 'http-01'])
  })

  it('another process answers at once, and no longer once they are withdrawn', async () => {
    const all = [http, alpn, dns]
    await publisher.publish(all, signal)
    expect(await other.keyAuthorization('token-of-twenty-characters')).toBe(
      `token-of-twenty-characters.${accountKey.thumbprint}`,
    )
    expect(await other.keyAuthorization('another-token')).toBeUndefined()
    const presented = await other.certificateOf('www.test')
    const certificate = new X509Certificate(presented!.chain)
    expect(certificate.subjectAltName).toBe('DNS:www.test')
    const { digest } = alpn as Extract<Proof, { type: 'tls-alpn-01' }>
    expect(certificate.raw.includes(Buffer.from(digest, 'base64url'))).toBe(true)
    expect(presented!.key).toContain('BEGIN PRIVATE KEY')
    expect(await other.certificateOf('ours.test')).toBeUndefined()
    expect(served).toEqual([expect.stringMatching(/^_acme-challenge\.ours\.test [\w-]{43}$/)])
    await publisher.withdraw(all)
    expect(await other.keyAuthorization('token-of-twenty-characters')).toBeUndefined()
    expect(await other.certificateOf('www.test')).toBeUndefined()
    expect(served).toEqual([])
  })

  it('a newer proof of a name stays when the older one is withdrawn', async () => {
    const newer = proofOf('tls-alpn-01', 'www.test', 'newer-token-of-more-characters', accountKey)
    await publisher.publish([alpn], signal)
    await publisher.publish([newer], signal)
    await publisher.withdraw([alpn])
    expect(await other.certificateOf('www.test')).toBeDefined()
    await publisher.withdraw([newer])
  })

  it('what a killed process has left is not answered once it has expired, and is removed', async () => {
    await publisher.publish([http, alpn], signal)
    await runSql(place.config, `update acme_proof set expires_at = 1 where type = 'http-01'`)
    expect(await other.keyAuthorization('token-of-twenty-characters')).toBeUndefined()
    await other.job.run()
    const rows = await runSql(place.config, 'select type from acme_proof')
    expect(rows).toEqual([{ type: 'tls-alpn-01' }])
    await publisher.withdraw([alpn])
  })

  it('a database that fails while proofs are withdrawn is logged, and does not lose the certificate', async () => {
    const failing = publisherWith({ add: () => Promise.resolve(), remove: () => Promise.reject(new Error('down')) })
    await failing.withdraw([http])
    expect(logged.splice(0)).toEqual(['proofs could not be removed and end later'])
  })
})

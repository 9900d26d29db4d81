import { X509Certificate } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startPebble, type Pebble } from '../../../../../../test/servers/index.js'
import { databaseKinds } from '../../../../test/app.js'
import { startPebbleFront, type PebbleFront } from '../../../../test/pebble-front.js'
import { noOrderLimits } from '../../../../test/order-limits.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { MasterKey } from '../../../shared/master-key.js'
import { embeddedDns, type EmbeddedDns } from '../../dns/embedded/embedded-dns.js'
import { guardedConnections } from '../../outbound/guarded-connections.js'
import { openVault } from '../../vault/envelope-vault.js'
import { AcmeCertificates } from './acme-certificates.js'
import { namesKeyOf } from './certificate-row-store.js'
import { certificateList, certificateStore, queueRenewal, type CertificateStore } from './certificate-store.js'
import { acmeClient } from './client.js'
import { accountKeyOf } from './jws.js'
import { certificateManager } from './manager.js'
import type { ProofPublisher } from './proof.js'
import { servedCertificateStore, type ServedCertificateStore } from './served-certificate-store.js'
import { newKey, renewalIdOf } from './x509.js'

/** Orders and renewals with Pebble, and what the database keeps of them. */

const zone = 'managed.test'
const names = [`*.${zone}`, zone]
const { signal } = new AbortController()
const accountKey = accountKeyOf(newKey())
let dns: EmbeddedDns
let pebble: Pebble
let front: PebbleFront
let serial = 1
beforeAll(async () => {
  const log = pino({ level: 'silent' })
  dns = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers: ['ns1.managed.test'], log })
  await dns.setZone({ zone, serial, rrsets: [] })
  pebble = await startPebble(dns.addresses[0]!.port)
  front = await startPebbleFront(pebble)
})
afterAll(async () => {
  await front.stop()
  await pebble.stop()
  await dns.close()
})

const publishValues = (values: string[]) => {
  const records = values.map((value) => ({ value, priority: null }))
  const rrset = { name: `_acme-challenge.${zone}`, type: 'TXT', ttl: 1, records } as const
  return dns.publish({ zone, serial: ++serial, rrsets: [rrset] })
}
const proofs: ProofPublisher = {
  typesFor: () => Promise.resolve(['dns-01']),
  publish: (all) => publishValues(all.flatMap((proof) => (proof.type === 'dns-01' ? [proof.value] : []))),
  withdraw: () => publishValues([]),
}

const allOf = async (store: ServedCertificateStore) => store.load((await store.versions()).map(({ id }) => id))

describe.each(databaseKinds)('certificates on %s', (kind) => {
  let place: TwoProcesses
  let store: CertificateStore
  let otherStore: CertificateStore
  let served: ServedCertificateStore
  let otherServed: ServedCertificateStore
  const logged: string[] = []
  let problemOf: () => Promise<string | undefined>
  /** How far the clock of the managers is ahead, in milliseconds. */
  let ahead = 0
  beforeEach(async () => {
    place = await twoProcesses(kind)
    const key = { kind: 'setting', key: MasterKey.random() } as const
    const [vault, otherVault] = [await openVault(key, place.db), await openVault(key, place.otherDb)]
    ;[store, otherStore] = [certificateStore(place.db, vault), certificateStore(place.otherDb, otherVault)]
    ;[served, otherServed] = [
      servedCertificateStore(place.db, vault),
      servedCertificateStore(place.otherDb, otherVault),
    ]
    problemOf = () => Promise.resolve(undefined)
    ahead = 0
    front.renewalInfo = { body: {}, retryAfter: '0' }
    return () => place.stop()
  })

  const managerOf = (of: CertificateStore, directoryUrl = front.directoryUrl) =>
    certificateManager({
      store: of,
      limits: noOrderLimits,
      client: () =>
        Promise.resolve(
          acmeClient({
            directoryUrl,
            connections: guardedConnections({ allowed: [], trustedUrl: `${directoryUrl.origin}/` }),
            accountKey,
            email: undefined,
            externalAccount: undefined,
          }),
        ),
      proofs,
      syncWanted: () => of.want([namesKeyOf(names)], Date.now()),
      problemOf: () => problemOf(),
      profile: undefined,
      now: () => Date.now() + ahead,
      log: { info: () => undefined, warn: (_: unknown, text?: string) => logged.push(text ?? '') },
    })

  const sql = (statement: string) => runSql(place.config, statement)
  const row = async () => (await sql('select * from certificate'))[0]!

  it('two processes order a missing certificate once, and both can serve it with its key', async () => {
    const before = front.orders.length
    await Promise.all([managerOf(store).run(signal), managerOf(otherStore).run(signal)])
    expect(front.orders).toHaveLength(before + 1)
    const [ours, theirs] = [await allOf(served), await allOf(otherServed)]
    expect(ours).toEqual(theirs)
    expect(ours.map(({ names: of }) => of)).toEqual([names])
    const { chain, key } = ours[0]!
    expect(chain).toContain('BEGIN CERTIFICATE')
    expect(key).toContain('BEGIN PRIVATE KEY')
    expect(JSON.stringify(await sql('select * from certificate'))).not.toContain('PRIVATE KEY')
    const leaf = new X509Certificate(chain)
    // Two thirds of the life, or up to a thirtieth earlier.
    const [from, until] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)]
    const part = (Number((await row())['renew_at']) - from) / (until - from)
    expect(part).toBeGreaterThan(0.6)
    expect(part).toBeLessThan(0.67)
  })

  it('renews in the window of the CA, and names the certificate that is replaced', async () => {
    await managerOf(store).run(signal)
    const [first] = await allOf(served)
    const { renew_at: planned } = await row()
    front.renewalInfo = {
      body: { suggestedWindow: { start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' } },
      retryAfter: '3600',
    }
    await sql('update certificate set next_at = 1')
    await managerOf(store).run(signal)
    expect((await row())['renew_at']).toEqual(planned)
    expect(Number((await row())['next_at']) - Date.now()).toBeGreaterThan(3_500_000)
    front.renewalInfo = {
      body: { suggestedWindow: { start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' } },
      retryAfter: '3600',
    }
    await sql('update certificate set next_at = 1')
    const orders = front.orders.length
    await managerOf(store).run(signal)
    // On its first day, it is not renewed, whatever the CA says.
    expect(front.orders).toHaveLength(orders)
    ahead = 86_400_000
    await managerOf(store).run(signal)
    expect(front.orders).toHaveLength(orders + 1)
    const [second] = await allOf(served)
    expect(second!.chain).not.toBe(first!.chain)
    expect(second!.key).not.toBe(first!.key)
    expect(second!.since).toBe(first!.since)
    expect(front.orders.at(-1)).toMatchObject({ replaces: renewalIdOf(first!.chain) })
  })

  it('keeps a valid certificate while the CA is down, and repeats the order later and later', async () => {
    await managerOf(store).run(signal)
    const before = await allOf(served)
    const down = new URL('https://localhost:1/dir')
    const waits = []
    for (const failures of [1, 2, 3]) {
      await sql('update certificate set next_at = 1, renew_at = 1')
      await managerOf(store, down).run(signal)
      expect(await row()).toMatchObject({
        error: 'The CA cannot be reached: The target refused the connection.',
        failures,
      })
      waits.push(Number((await row())['next_at']) - Date.now())
    }
    expect(waits[0]).toBeLessThan(12_000)
    expect(waits[1]).toBeGreaterThan(200_000)
    expect(waits[2]).toBeGreaterThan(waits[1]! * 2)
    expect(await allOf(served)).toEqual(before)
    expect(logged.splice(0)).toContain('a certificate could not be ordered')
    await sql('update certificate set next_at = 1')
    await managerOf(store).run(signal)
    expect(await row()).toMatchObject({ error: null, failures: 0 })
  })

  it('orders no name that does not lead to this server', async () => {
    const problem = `The nameservers of ${zone} are others.`
    problemOf = () => Promise.resolve(problem)
    const before = front.orders.length
    await managerOf(store).run(signal)
    expect(front.orders).toHaveLength(before)
    expect(await row()).toMatchObject({ error: problem, chain: null })
    expect(await allOf(served)).toEqual([])
  })

  it('names that do not lead here for days do not delay the first order that does, and an error of the server is not shown', async () => {
    for (let attempt = 0; attempt < 9; attempt++) {
      problemOf = () => Promise.resolve('elsewhere')
      await sql('update certificate set next_at = 1')
      await managerOf(store).run(signal)
    }
    problemOf = () => Promise.reject(new Error('column certificate.secret does not exist'))
    await sql('update certificate set next_at = 1')
    await managerOf(store).run(signal)
    expect((await row())['error']).toBe('An error of this server ended the order: its log says which.')
    expect(Number((await row())['next_at']) - Date.now()).toBeLessThan(3 * 3_600_000)
  })

  it('an order whose process was killed is repeated after its lease', async () => {
    await store.want([namesKeyOf(names)], Date.now())
    expect(await store.claim(Date.now(), 60_000)).toMatchObject({ names, failures: 0 })
    expect(await otherStore.claim(Date.now(), 60_000)).toBeUndefined()
    await sql('update certificate set leased_until = 1')
    expect(await otherStore.claim(Date.now(), 60_000)).toMatchObject({ names })
  })

  it('svc tls renew during an order starts no second one', async () => {
    await store.want([namesKeyOf(names)], Date.now())
    const claimed = (await store.claim(Date.now(), 60_000))!
    await queueRenewal(place.otherDb, claimed.id)
    expect(await otherStore.claim(Date.now(), 60_000)).toBeUndefined()
  })

  it('svc tls renew while the CA is asked about the renewal is not lost', async () => {
    await managerOf(store).run(signal)
    await sql('update certificate set next_at = 1')
    const asked = (await store.claim(Date.now(), 60_000))!
    await queueRenewal(place.otherDb, asked.id)
    await store.postpone(asked, asked.renewAt, { nextAt: asked.renewAt!, renewAt: asked.renewAt! })
    expect(await otherStore.claim(Date.now(), 60_000)).toMatchObject({ names })
  })

  it('a process whose lease is over does not end that of another one', async () => {
    await store.want([namesKeyOf(names)], Date.now())
    const late = (await store.claim(Date.now(), 1))!
    const later = Date.now() + 1_000
    expect(await otherStore.claim(later, 60_000)).toMatchObject({ names })
    await store.release(late, 1)
    await store.fail(late, { now: 1, nextAt: 1, failures: 1 }, 'too late')
    await store.postpone(late, late.renewAt, { nextAt: 1, renewAt: 1 })
    expect(await row()).toMatchObject({ failures: 0, error: null, renew_at: null })
    expect(await store.claim(later, 60_000)).toBeUndefined()
  })

  it('a key that does not decrypt takes no other certificate away, and is ordered anew', async () => {
    await managerOf(store).run(signal)
    const [good] = await allOf(served)
    const [columns, values] = [
      'chain, master_key_id, next_at, failures, since',
      'chain, master_key_id, next_at, 0, since',
    ]
    await sql(`insert into certificate (names, sealed, ${columns})
      select '["other.test"]', sealed, ${values} from certificate`)
    const errors: string[] = []
    const open = () =>
      AcmeCertificates.open({
        database: place.db,
        store: served,
        log: { error: (_: unknown, text?: string) => errors.push(text ?? '') },
      })
    expect((await open()).find(zone)?.pem().chain).toBe(good!.chain)
    expect(errors).toEqual(['the private key of a certificate does not decrypt: it is ordered anew'])
    await open()
    expect(errors).toHaveLength(1)
    expect((await certificateList(place.db)).map(({ names: of, chain, error }) => [of, chain, error])).toEqual([
      [names, good!.chain, null],
      [['other.test'], null, 'Its private key in the database does not decrypt.'],
    ])
    expect(await store.claim(Date.now(), 60_000)).toMatchObject({ names: ['other.test'] })
  })

  it('an order that the stop of a server interrupts is continued a minute later, and is no failure', async () => {
    const stopping = new AbortController()
    problemOf = async () => {
      stopping.abort()
      return 'not reached'
    }
    await managerOf(store).run(stopping.signal)
    expect(await row()).toMatchObject({ failures: 0, error: null, chain: null })
    problemOf = () => Promise.resolve(undefined)
    await managerOf(otherStore).run(signal)
    expect(await allOf(otherServed)).toEqual([])
    ahead = 60_000
    await managerOf(otherStore).run(signal)
    expect(await allOf(otherServed)).toHaveLength(1)
  })
})

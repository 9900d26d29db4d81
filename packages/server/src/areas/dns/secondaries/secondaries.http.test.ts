import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { decode } from 'dns-packet'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Envelope, type TestApp } from '../../../../test/app.js'
import { framed, queryPacket } from '../../../../test/dns-ask.js'
import { updateKey, type UpdateKey } from '../../../../test/dns-updater.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { transferRequest } from '../../../../test/transfer-client.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { findTsig } from '../../../ports/dns/wire/tsig-record.js'
import { TsigSigner, verifyRequest } from '../../../ports/dns/wire/tsig.js'

/** A busy machine needs several intervals of the notifier. */
const soon = <R>(check: () => R) => vi.waitFor(check, { timeout: 15_000, interval: 20 })

const seconds = () => Math.floor(Date.now() / 1000)

/** A nameserver that answers NOTIFY, signed with the key of each message. */
class TestSecondary {
  readonly zones: string[] = []
  /** The ports of the messages: each process has another one. */
  readonly senders = new Set<number>()
  code = 0
  keys: readonly UpdateKey[] = []

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {
    socket.on('message', (packet, { port, address: from }) => {
      const tsig = findTsig(packet)
      const key = this.keys.find((one) => tsig !== undefined && verifyRequest(packet, tsig, one, seconds()) === 'valid')
      if (tsig === undefined || key === undefined) return
      this.zones.push(decode(packet).questions?.[0]?.name ?? '')
      this.senders.add(port)
      const answer = Buffer.from(packet.subarray(0, tsig.start))
      answer.writeUInt16BE(0xa400 | this.code, 2)
      answer.writeUInt16BE(0, 10)
      socket.send(new TsigSigner(key, tsig.mac).sign(answer, seconds()), port, from)
    })
  }

  static async start(address: string): Promise<TestSecondary> {
    const socket = createSocket('udp4')
    socket.bind(0, address)
    await once(socket, 'listening')
    return new TestSecondary(socket, address)
  }

  get port(): number {
    return this.socket.address().port
  }

  /** Sends a signed message over TCP, and waits for the answer. */
  async ask(app: Pick<TestApp, 'dnsPort'>, key: UpdateKey, packet: Buffer): Promise<void> {
    const socket = connect({ port: app.dnsPort, host: '127.0.0.1', localAddress: this.address })
    socket.write(framed(new TsigSigner(key).sign(packet, seconds())))
    await once(socket, 'data')
    socket.destroy()
  }

  transfer(app: Pick<TestApp, 'dnsPort'>, key: UpdateKey, zone: string): Promise<void> {
    return this.ask(app, key, transferRequest(zone).packet)
  }

  close(): void {
    this.socket.close()
  }
}

describe.each(databaseKinds)('secondaries of accounts on %s', (kind) => {
  let site: Site
  let ada: Person
  let eve: Person
  const opened: TestSecondary[] = []

  interface Person extends Owner {
    readonly browser: Browser
  }
  const person = async (): Promise<Person> => {
    const owner = await ownerOn(site)
    return { ...owner, browser: await site.browser(owner.account.email) }
  }
  const secondaryAt = async (address: string, ...keys: UpdateKey[]) => {
    const secondary = await TestSecondary.start(address)
    secondary.keys = keys
    opened.push(secondary)
    return secondary
  }
  const add = async ({ call }: Owner, { address, port }: TestSecondary, key: UpdateKey) => {
    const answer = await call('POST', '/v1/dns/secondaries', { address, port, key_id: key.tokenId })
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'] as Envelope
  }
  const list = async ({ call }: Owner) =>
    (await call('GET', '/v1/dns/secondaries')).body['data'].secondaries as Envelope[]
  const stateOf = async (owner: Owner, id: unknown) => (await list(owner)).find((one) => one['id'] === id)?.['state']
  /** Changes a zone, so that its secondaries are told. */
  const change = (zone: ZoneClient) => zone.add({ type: 'TXT', host: '@', value: `v${String(++changes)}`, ttl: 60 })
  let changes = 0
  /** Longer than changes are collected. */
  const silence = () => new Promise((done) => setTimeout(done, 600))

  beforeAll(async () => {
    site = await startSite(kind, { outboundAllow: ['127.0.0.0/8'] })
    ada = await person()
    eve = await person()
  })
  afterEach(async () => {
    for (const owner of [ada, eve])
      for (const { id } of await list(owner)) await owner.call('DELETE', `/v1/dns/secondaries/${String(id)}`)
    for (const secondary of opened.splice(0)) secondary.close()
  })
  afterAll(() => site.stop())

  it('are told about changes only after a signed transfer over TCP from their address', async () => {
    const [zone, key] = [await ada.claim(), await updateKey(ada.browser, { scopes: ['dns:read'] })]
    const secondary = await secondaryAt('127.0.0.2', key)
    const { id, ...added } = await add(ada, secondary, key)
    expect(added).toMatchObject({ state: 'waiting', proven_at: null, key_id: key.tokenId, address: '127.0.0.2' })
    expect(added['note']).toContain('from 127.0.0.2 over TCP, with the key updates ')
    await change(zone)
    const elsewhere = await secondaryAt('127.0.0.3', key)
    await elsewhere.transfer(site, key, zone.zone)
    await secondary.ask(site, key, queryPacket(zone.zone, 'TXT'))
    await silence()
    expect([secondary.zones, elsewhere.zones, await stateOf(ada, id)]).toEqual([[], [], 'waiting'])

    await secondary.transfer(site, key, zone.zone)
    await soon(() => expect(secondary.zones).toContain(zone.zone))
    await soon(async () => expect(await stateOf(ada, id)).toBe('told'))
    secondary.zones.length = 0
    for (let n = 0; n < 5; n++) await change(zone)
    await soon(() => expect(secondary.zones).toContain(zone.zone))
    expect((await list(ada))[0]).toMatchObject({ answer: 'NOERROR', proven_at: expect.any(String) })
    const events = await site.call('GET', '/v1/account/events?area=dns', { token: await site.token(ada.account, '*') })
    const actions = (events.body['data'].events as Envelope[]).map(({ action }) => action as string)
    expect(actions.filter((action) => action.startsWith('secondary_'))).toEqual(['secondary_prove', 'secondary_add'])
  })

  it('prove their address with a question for an SOA, and show what they answer', async () => {
    const [zone, key] = [await ada.claim(), await updateKey(ada.browser)]
    const secondary = await secondaryAt('127.0.0.2', key)
    secondary.code = 9
    const { id } = await add(ada, secondary, key)
    await secondary.ask(site, key, queryPacket(zone.zone, 'SOA'))
    await soon(async () => expect(await stateOf(ada, id)).toBe('refused'))
    expect((await list(ada))[0]).toMatchObject({ answer: 'NOTAUTH', told_at: expect.any(String) })
  })

  it('of one account are told nothing of another, whatever key is used', async () => {
    const [zone, other] = [await ada.claim(), await eve.claim()]
    const [key, stolen] = [await updateKey(eve.browser), await updateKey(ada.browser)]
    const secondary = await secondaryAt('127.0.0.2', key, stolen)
    expectError(
      await eve.call('POST', '/v1/dns/secondaries', { address: '127.0.0.2', key_id: stolen.tokenId }),
      'bad_request',
    )
    const { id } = await add(eve, secondary, key)
    // The key of another account proves nothing for it.
    await secondary.transfer(site, stolen, zone.zone)
    await silence()
    expect(await stateOf(eve, id)).toBe('waiting')
    await secondary.transfer(site, key, other.zone)
    await soon(() => expect(secondary.zones).toContain(other.zone))
    for (const one of [zone, other]) await change(one)
    await soon(() => expect(secondary.zones.filter((name) => name === other.zone).length).toBeGreaterThan(1))
    expect(secondary.zones).not.toContain(zone.zone)
    expect(await list(ada)).toEqual([])
    expectError(await ada.call('DELETE', `/v1/dns/secondaries/${String(id)}`), 'forbidden')
  })

  it('are told no more about a released zone, with a paused or revoked key, and once they are deleted', async () => {
    const [kept, released, key] = [await ada.claim(), await ada.claim(), await updateKey(ada.browser)]
    const secondary = await secondaryAt('127.0.0.2', key)
    const { id } = await add(ada, secondary, key)
    await secondary.transfer(site, key, kept.zone)
    await soon(() => expect(secondary.zones).toEqual(expect.arrayContaining([kept.zone, released.zone])))
    await ada.call('DELETE', `/v1/dns/zones/${released.zone}`)
    await eve.claim(released.zone)
    secondary.zones.length = 0
    await change(kept)
    await soon(() => expect(secondary.zones).toEqual([kept.zone]))

    const isSilent = async (state: string | undefined) => {
      secondary.zones.length = 0
      await change(kept)
      await silence()
      expect([secondary.zones, await stateOf(ada, id)]).toEqual([[], state])
    }
    const keys = (path: string, body: object) => ada.browser.call('POST', `/keys/${path}`, { body })
    await keys('update', { id: key.tokenId, paused: true })
    await isSilent('stopped')
    await keys('update', { id: key.tokenId, paused: false, networks: ['192.0.2.0/24'] })
    await isSilent('stopped')
    await keys('update', { id: key.tokenId, networks: [], scopes: ['files:read'] })
    await isSilent('stopped')
    expect((await list(ada))[0]?.['note']).toBe('Its key needs the scope dns:read.')
    await keys('update', { id: key.tokenId, scopes: ['dns:read'] })
    await change(kept)
    await soon(() => expect(secondary.zones).toContain(kept.zone))
    await keys('revoke', { id: key.tokenId })
    await isSilent('stopped')
    expect((await list(ada))[0]).toMatchObject({ key_id: key.tokenId, key_name: null })
    await ada.call('DELETE', `/v1/dns/secondaries/${String(id)}`)
    await isSilent(undefined)
  }, 40_000)

  it('are told by every process on the database, whichever has seen the proof', async () => {
    const other = await site.another()
    try {
      const [zone, key] = [await ada.claim(), await updateKey(ada.browser, { rules: undefined })]
      const secondary = await secondaryAt('127.0.0.2', key)
      await add(ada, secondary, key)
      await secondary.transfer(other, key, zone.zone)
      await soon(() => expect(secondary.zones).toContain(zone.zone))
      secondary.senders.clear()
      await change(zone)
      await soon(() => expect(secondary.senders.size).toBe(2))
    } finally {
      await other.stop()
    }
  })

  it('400 for another token, a private address, a low port, the same one twice and one too many', async () => {
    const key = await updateKey(ada.browser)
    const token = await ada.browser.call('POST', '/keys', { body: { name: 'plain', scopes: ['dns:read'] } })
    const refused = async (body: object, message: string | RegExp) => {
      const answer = await ada.call('POST', '/v1/dns/secondaries', { key_id: key.tokenId, ...body })
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(message)
    }
    await refused({ address: '9.9.9.9', key_id: token.body['data'].id }, /^key_id must be the id of a TSIG key/)
    await refused({ address: 'ns2.example.net' }, /^address must be an IPv4 or IPv6 address/)
    await refused({ address: '10.0.0.1' }, /^address must not lead to a private or special address/)
    await refused({ address: '::1' }, /^address must not lead to a private/)
    await refused({ address: '9.9.9.9', port: 25 }, 'port must be 53 or a port from 1024 to 65535, not 25.')
    for (let n = 0; n < 8; n++) {
      const body = { address: '::ffff:9.9.9.9', port: 5300 + n, key_id: key.tokenId }
      expect((await ada.call('POST', '/v1/dns/secondaries', body)).body['data'].address).toBe('9.9.9.9')
    }
    await refused({ address: '9.9.9.9', port: 5300 }, /^address is a secondary of the account already/)
    await refused({ address: '9.9.9.9' }, /^The account has 8 secondaries/)
  })
})

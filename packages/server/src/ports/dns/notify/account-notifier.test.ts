import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { decode } from 'dns-packet'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { accountSigner } from '../../../../test/transfer-client.js'
import type { TransferredZone } from '../transfers/may-transfer.js'
import type { AccountSecondaries, AccountSecondary, NotifyOutcome } from '../transfers/options.js'
import { findTsig } from '../wire/tsig-record.js'
import { TsigSigner, type TsigKey } from '../wire/tsig.js'
import { AccountNotifier } from './account-notifier.js'

const key: TsigKey = { name: '1.0a86e5b1c2d4f680.key', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 7) }
const seconds = () => Math.floor(Date.now() / 1000)

/** Zones in their order, as the secondary was told about them. */
let received: string[]
let isAnswering: boolean
let server: Socket
let zones: TransferredZone[]
let stored: AccountSecondary[]
let outcomes: NotifyOutcome[]
let notifier: AccountNotifier
let failing: number
let seenTogether: number

beforeEach(async () => {
  ;[received, zones, stored, outcomes] = [[], [], [], []]
  ;[isAnswering, failing, seenTogether] = [true, 0, 0]
  server = createSocket('udp4')
  let open = 0
  server.on('message', (packet, { port, address }) => {
    received.push(decode(packet).questions?.[0]?.name ?? '')
    const tsig = findTsig(packet)
    if (!isAnswering || tsig === undefined) return
    seenTogether = Math.max(seenTogether, ++open)
    const answer = Buffer.from(packet.subarray(0, tsig.start))
    answer.writeUInt16BE(0xa400, 2)
    answer.writeUInt16BE(0, 10)
    setTimeout(() => {
      open--
      server.send(new TsigSigner(key, tsig.mac).sign(answer, seconds()), port, address)
    }, 5)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  await notifier.close()
  server.close()
})

const secondaryOf = (accountId: number, more: Partial<AccountSecondary> = {}): AccountSecondary => ({
  ...{ id: accountId, accountId, tokenId: 1, address: '127.0.0.1', port: server.address().port },
  ...more,
})

function start(change: Partial<AccountSecondaries> = {}): AccountNotifier {
  const secondaries: AccountSecondaries = {
    all: async () => stored,
    of: async (ids) => {
      if (failing-- > 0) throw new Error('The database is away.')
      return stored.filter(({ accountId }) => ids.includes(accountId))
    },
    keyFor: async ({ accountId }, { holder }) => (holder === accountId ? key : undefined),
    proven: async () => [],
    told: (_, outcome) => outcomes.push(outcome),
    ...change,
  }
  notifier = new AccountNotifier({
    secondaries,
    zone: (name) => zones.find((one) => one.name === name),
    zones: () => zones,
    log: pino({ level: 'silent' }),
  })
  return notifier
}

/** Zones are given here before they change. */
const changed = (name: string, holder: number | null) => {
  const zone = { name, holder }
  zones = [...zones.filter((one) => one.name !== name), zone]
  notifier.changed(zone)
}

it('tells at the start about all zones of the account, one message first, then some at a time', async () => {
  zones = [
    ...Array.from({ length: 30 }, (_, n) => ({ name: `z${String(n)}.test`, holder: 7 })),
    { name: 'other.test', holder: 8 },
    { name: 'released.test', holder: null },
  ]
  stored = [secondaryOf(7)]
  start()
  await vi.waitFor(() => expect(outcomes).toHaveLength(30), { timeout: 10_000 })
  expect(received.toSorted()).toEqual(
    zones
      .slice(0, 30)
      .map(({ name }) => name)
      .toSorted(),
  )
  expect(seenTogether).toBeLessThanOrEqual(8)
})

it('collects changes of a zone, and sends nothing about zones without a holder or of accounts without secondaries', async () => {
  stored = [secondaryOf(7)]
  start()
  for (let n = 0; n < 50; n++) changed('example.test', 7)
  changed('other.test', 8)
  changed('released.test', null)
  await vi.waitFor(() => expect(outcomes).toMatchObject([{ zone: 'example.test', rcode: 0 }]))
  changed('example.test', 7)
  await vi.waitFor(() => expect(outcomes).toHaveLength(2))
  expect(received).toEqual(['example.test', 'example.test'])
})

it('does not tell about a zone that has got another holder before the message', async () => {
  stored = [secondaryOf(7)]
  isAnswering = false
  start()
  changed('first.test', 7)
  changed('moved.test', 7)
  await vi.waitFor(() => expect(received).toEqual(['first.test']))
  changed('moved.test', 8)
  isAnswering = true
  await vi.waitFor(() => expect(outcomes.at(-1)).toMatchObject({ zone: 'first.test', rcode: 0 }), { timeout: 10_000 })
  expect(received).not.toContain('moved.test')
})

it('tells two accounts that name the same secondary about the zones of each', async () => {
  stored = [secondaryOf(7), secondaryOf(8)]
  start()
  changed('seven.test', 7)
  changed('eight.test', 8)
  await vi.waitFor(() => expect(outcomes).toHaveLength(2))
  expect(received.toSorted()).toEqual(['eight.test', 'seven.test'])
})

it('reads again after an error of the database', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    stored = [secondaryOf(7)]
    start()
    await vi.advanceTimersByTimeAsync(300)
    failing = 1
    changed('example.test', 7)
    await vi.advanceTimersByTimeAsync(300)
    expect(failing).toBe(0)
    await vi.advanceTimersByTimeAsync(5_000)
  } finally {
    vi.useRealTimers()
  }
  await vi.waitFor(() => expect(received).toEqual(['example.test']))
})

it('asks for a proof only over TCP, and tells a proven secondary about the zones of its account', async () => {
  zones = [{ name: 'example.test', holder: 7 }]
  const { caller } = accountSigner(7)
  const asked: string[] = []
  start({
    proven: async (_, address) => {
      asked.push(address)
      return address === '127.0.0.1' ? [secondaryOf(7)] : Promise.reject(new Error('The database is away.'))
    },
  })
  notifier.heard(caller, { address: '127.0.0.1', transport: 'udp' }, true)
  notifier.heard(caller, { address: '127.0.0.1', transport: 'tcp' }, false)
  notifier.heard(caller, { address: '127.0.0.2', transport: 'tcp' }, true)
  notifier.heard(caller, { address: '::ffff:127.0.0.1', transport: 'tcp' }, true)
  await vi.waitFor(() => expect(outcomes).toHaveLength(1))
  expect(asked).toEqual(['127.0.0.2', '127.0.0.1'])
})

it('fails a message to an address that cannot be reached', async () => {
  stored = [secondaryOf(7, { address: '255.255.255.255' })]
  start()
  changed('example.test', 7)
  await vi.waitFor(() => expect(outcomes).toMatchObject([{ result: 'failed' }]))
})

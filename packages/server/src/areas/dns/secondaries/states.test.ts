import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { accountSigner } from '../../../../test/transfer-client.js'
import type { CallerContext } from '../../../http/handler.js'
import type { AccountKeyStore } from '../../../ports/dns/protocol/messages.js'
import type { Database } from '../../../db/port.js'
import { secondaryHandlers } from './handlers.js'
import { ownSecondaries } from './own-secondaries.js'
import { secondaryPresenter } from './presenter.js'
import type { Secondary } from './secondary.js'
import type { SecondaryStore, ToldRow } from './store.js'
import { ToldResults } from './told-results.js'

const { caller } = accountSigner(7)
const key = { name: '12.0a86e5b1c2d4f680.key', algorithm: 'hmac-sha256', secret: Buffer.alloc(32) } as const
const keys: Pick<AccountKeyStore, 'forAddress'> = { forAddress: async () => ({ key, caller }) }
const served = { keys, areReachable: () => true, isServing: true }

const secondary: Secondary = {
  id: 3,
  address: '192.0.2.53',
  port: 5300,
  tokenId: 12,
  keyName: 'ns2',
  createdAt: 0,
  provenAt: 1,
  toldAt: 2,
  toldZone: 'example.test',
  answer: 'NOERROR',
}

it.each([
  ['waiting', { provenAt: null }, 'Waiting for a signed transfer from 192.0.2.53 over TCP, with the key ns2.'],
  ['ready', { toldAt: null, toldZone: null, answer: null }, /is told about the next change/],
  ['told', {}, '192.0.2.53 has been told about example.test.'],
  ['refused', { answer: 'NOTAUTH' }, /^192\.0\.2\.53 answered NOTAUTH to NOTIFY for example\.test/],
  ['failing', { answer: 'none' }, 'Port 5300 of 192.0.2.53 does not answer NOTIFY over UDP.'],
  ['stopped', { keyName: null }, /^Its key was revoked/],
])('says why a secondary is %s', async (state, change, note) => {
  const shown = await secondaryPresenter(served)({ ...secondary, ...change })
  expect(shown.state).toBe(state)
  expect(shown.note).toMatch(note)
})

it.each([
  ['PowerDNS serves the zones', { isServing: false }, /^PowerDNS serves the zones here/],
  ['the operator forbids the address', { areReachable: () => false }, /^The operator does not allow messages to 192/],
  ['the key does not work', { keys: { forAddress: async () => undefined } }, /^Its key does not work now/],
  [
    'the key has no scope for zones',
    { keys: { forAddress: async () => ({ key, caller: accountSigner(7, undefined, 'files:read').caller }) } },
    'Its key needs the scope dns:read.',
  ],
])('a secondary is stopped while %s', async (_, change, note) => {
  const { state, note: shown } = await secondaryPresenter({ ...served, ...change })(secondary)
  expect(state).toBe('stopped')
  expect(shown).toMatch(note)
})

it('400 for a new secondary while PowerDNS serves the zones', async () => {
  const { secondaryCreate } = secondaryHandlers({ ...served, isServing: false, secondaries: {} as SecondaryStore })
  const input = { params: {}, query: {}, body: { address: '9.9.9.9', key_id: 12 } }
  await expect(secondaryCreate(input, caller as unknown as CallerContext)).rejects.toMatchObject({
    code: 'bad_request',
  })
})

it('signs nothing to a proven secondary whose address the operator forbids, and logs answers that cannot be saved', async () => {
  const row = { id: 3, accountId: 7, tokenId: 12, address: '192.0.2.53', port: 53 }
  const database = {
    commitNumber: () => undefined,
    all: async () => [row],
    write: async () => Promise.reject(new Error('gone')),
  } as unknown as Database
  const warn = vi.fn()
  const zone = { name: 'example.test', holder: 7 }
  const own = (isAllowed: boolean) => ownSecondaries({ database, keys, areReachable: () => isAllowed, log: { warn } })
  expect(await own(true).secondaries.keyFor(row, zone)).toBe(key)
  expect(await own(false).secondaries.keyFor(row, zone)).toBeUndefined()
  expect(await own(true).secondaries.keyFor({ ...row, accountId: 8 }, { ...zone, holder: 8 })).toBeUndefined()
  expect(await own(true).secondaries.keyFor(row, { ...zone, holder: 8 })).toBeUndefined()
  const { secondaries, close } = own(true)
  secondaries.told(row, { result: 'failed', zone: zone.name })
  await close()
  expect(warn).toHaveBeenCalledTimes(1)
})

it('saves a proof once, however many requests arrive before it is saved', async () => {
  const row = { id: 3, accountId: 7, tokenId: 1, address: '192.0.2.53', port: 53 }
  let save: (isSaved: boolean) => void = () => undefined
  const write = vi.fn(() => new Promise<boolean>((resolve) => (save = resolve)))
  const database = { commitNumber: () => 1, all: async () => [row], write } as unknown as Database
  const { secondaries } = ownSecondaries({ database, keys, areReachable: () => true, log: { warn: vi.fn() } })
  const requests = Array.from({ length: 100 }, () => secondaries.proven(caller, row.address))
  await vi.waitFor(() => expect(write).toHaveBeenCalled())
  await new Promise((done) => setImmediate(done))
  save(true)
  expect((await Promise.all(requests)).flat()).toEqual([row])
  expect(write).toHaveBeenCalledTimes(1)
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('saves a changed answer within ten seconds, an unchanged one once a minute, and the rest when the server stops', async () => {
  const saved: string[] = []
  const results = new ToldResults({
    saveTold: async (rows: readonly ToldRow[]) => {
      saved.push(...rows.map(({ zone, answer }) => `${zone} ${answer}`))
    },
  })
  const told = (zone: string, answer: string) => results.add({ id: 3, at: 0, zone, answer })
  const run = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    await results.job.run(new AbortController().signal)
    return saved.splice(0)
  }
  told('a', 'NOERROR')
  expect(await run(2_000)).toEqual(['a NOERROR'])
  told('b', 'none')
  expect(await run(2_000)).toEqual([])
  expect(await run(8_000)).toEqual(['b none'])
  told('c', 'none')
  expect(await run(30_000)).toEqual([])
  expect(await run(30_000)).toEqual(['c none'])
  told('d', 'none')
  await results.flush()
  expect(saved).toEqual(['d none'])
})

import { NoAnswerError } from '@svc/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { bytesOf, cut, large, queueWith, refusal, small } from '../../../../test/upload-queue.js'
import { fakeServer, type CallName, type Fault } from '../../../../test/upload-server.js'
import { isUnfinished } from './queue.js'
import { canRetry } from './verdict.js'

/** The queue with a server whose connection and answers the tests decide. */

beforeEach(() => void vi.stubGlobal('isSecureContext', true))
afterEach(() => vi.unstubAllGlobals())

const isFirst = (wanted: CallName, fault: Fault) => (call: CallName, number: number) =>
  call === wanted && number === 1 ? fault : undefined
const isBetween = (wanted: CallName, from: number, to: number, fault: Fault) => (call: CallName, number: number) =>
  call === wanted && number >= from && number <= to ? fault : undefined
/** No call reaches the server, from the first of these parts to the last. */
const isOffline = (from: number, to: number) => (call: CallName, number: number) =>
  call === 'list' || (call === 'uploadChunk' && number >= from && number <= to)
    ? ({ when: 'before', error: cut() } as const)
    : undefined

it.each([
  ['a small file', small(), undefined],
  ['an empty file', new File([], 'empty.txt'), undefined],
  ['a large file', large(), undefined],
  ['a small file whose request is cut', small(), isFirst('upload', { when: 'before', error: cut() })],
  ['a large file whose first part is cut', large(), isFirst('uploadChunk', { when: 'before', error: cut() })],
  ['a large file without a network for long', large(), isOffline(2, 12)],
  ['a large file whose answers are lost', large(), isBetween('uploadChunk', 3, 4, { when: 'after', error: cut() })],
  ['a large file whose end is repeated', large(), isFirst('uploadFinalize', { when: 'before', error: cut() })],
  [
    'a proxy that restarts the server',
    large(),
    isBetween('uploadChunk', 2, 5, { when: 'before', error: new NoAnswerError('answer', '502', { status: 502 }) }),
  ],
  [
    'a server that is busy',
    large(),
    isBetween('uploadChunk', 2, 4, { when: 'before', error: refusal(502, 'upstream_error') }),
  ],
])('%s arrives whole', async (_, file, faultOf) => {
  const server = fakeServer(faultOf)
  const { queue, phases, stored, settled } = queueWith(server)
  queue.add([file])
  await settled()
  expect(phases()).toEqual(['done'])
  expect(stored).toEqual([file.name])
  expect((await bytesOf(server.contents[0])).equals(await bytesOf(file))).toBe(true)
})

it('after a lost connection only the missing parts are sent, and the delay grows', async () => {
  const server = fakeServer(isOffline(2, 5))
  const { queue, waits, settled } = queueWith(server)
  queue.add([large()])
  await settled()
  const sent = server.log.filter((line) => line.startsWith('uploadChunk'))
  expect(sent.length).toBe(new Set(sent).size + 4)
  expect(server.openedUploads()).toBe(1)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits.length).toBeGreaterThan(1)
})

it('a part whose answer was lost is not sent again, if a later answer lists it', async () => {
  const server = fakeServer(isBetween('uploadChunk', 2, 3, { when: 'after', error: cut() }))
  const { queue, settled } = queueWith(server)
  queue.add([large()])
  await settled()
  const repeated = server.log.filter((line, index, log) => log.indexOf(line) !== index)
  expect(repeated.length).toBeLessThanOrEqual(1)
})

it.each([
  ['a refusal', { when: 'before', error: refusal(400, 'bad_request') } as const, 1],
  ['an upload that has expired', { when: 'before', error: refusal(404, 'not_found') } as const, 1],
  ['a server that stays broken', { when: 'before', error: refusal(500, 'internal_error') } as const, 6],
])('%s ends the upload with the message, and the others go on', async (_, fault, attempts) => {
  const server = fakeServer((call) => (call === 'uploadChunk' ? fault : undefined))
  const { queue, phases, stored, settled } = queueWith(server)
  queue.add([large(), small('a.txt'), small('b.txt')])
  await settled()
  expect(phases()).toEqual(['failed', 'done', 'done'])
  expect(queue.uploads()[0]?.error).toBe(fault.error)
  expect(server.counts.uploadChunk).toBe(attempts)
  expect(stored).toEqual(['a.txt', 'b.txt'])
})

it.each(['upload', 'uploadChunk'] as const)(
  'a server that always closes the connection of %s ends the upload, because it can be reached',
  async (wanted) => {
    const server = fakeServer((call) => (call === wanted ? { when: 'before', error: cut() } : undefined))
    const { queue, phases, settled } = queueWith(server)
    queue.add([wanted === 'upload' ? small() : large()])
    await settled()
    expect(phases()).toEqual(['failed'])
    expect(server.counts[wanted]).toBe(6)
  },
)

it('the failures while the network was lost do not count when it is back', async () => {
  const isCut = (call: CallName, number: number) => (call === 'list' ? number <= 10 : call === 'upload' && number <= 5)
  const server = fakeServer((call, number) => (isCut(call, number) ? { when: 'before', error: cut() } : undefined))
  const { queue, phases, settled } = queueWith(server)
  queue.add([small()])
  await settled()
  expect(phases()).toEqual(['done'])
})

it.each([
  ['a small file', small(), true],
  ['a small file on a page without TLS, which computes no digests', small(), false],
  ['an empty file on a page without TLS', new File([], 'empty.txt'), false],
])('%s whose answers are lost is stored once', async (_, file, isSecureContext) => {
  vi.stubGlobal('isSecureContext', isSecureContext)
  const lost = { when: 'after', error: cut() } as const
  const server = fakeServer((call, number) => (call !== 'list' && number === 1 ? lost : undefined))
  const { queue, phases, stored, settled } = queueWith(server)
  queue.add([file])
  await settled()
  expect(phases()).toEqual(['done'])
  expect(stored).toEqual([file.name])
  expect(server.contents).toHaveLength(1)
  expect((await bytesOf(server.contents[0])).equals(await bytesOf(file))).toBe(true)
})

it('retry starts anew after the upload has expired', async () => {
  const server = fakeServer(isBetween('uploadChunk', 3, 3, { when: 'before', error: refusal(404, 'not_found') }))
  const { queue, phases, settled } = queueWith(server)
  const file = large()
  queue.add([file])
  await settled()
  expect(phases()).toEqual(['failed'])
  queue.resume(1)
  await settled()
  expect(phases()).toEqual(['done'])
  expect(server.openedUploads()).toBe(2)
  expect((await bytesOf(server.contents[0])).equals(await bytesOf(file))).toBe(true)
})

it('pause ends the requests, and resume sends the rest', async () => {
  const server = fakeServer()
  const { queue, phases, until, settled } = queueWith(server)
  const file = large('large.bin', 12)
  queue.add([file])
  await until(() => (queue.uploads()[0]?.sentBytes ?? 0) > 0)
  queue.pause(1)
  await settled()
  expect(phases()).toEqual(['paused'])
  const calls = server.log.length
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(server.log.length).toBe(calls)
  queue.resumeAll()
  await settled()
  expect(server.openedUploads()).toBe(1)
  expect((await bytesOf(server.contents[0])).equals(await bytesOf(file))).toBe(true)
})

it('a pause and a resume during the end of an upload send it once', async () => {
  const server = fakeServer()
  const { queue, phases, stored, until, settled } = queueWith(server)
  queue.add([large()])
  await until(() => phases()[0] === 'finishing')
  queue.pauseAll()
  queue.resume(1)
  await settled()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([phases(), stored, server.counts.uploadFinalize]).toEqual([['done'], ['large.bin'], 1])
})

it('a resume right after a pause sends every part, also those that were on their way', async () => {
  const server = fakeServer()
  const { queue, until, settled } = queueWith(server)
  const file = large('large.bin', 12)
  queue.add([file])
  await until(() => (queue.uploads()[0]?.sentBytes ?? 0) > 0)
  queue.pause(1)
  queue.resume(1)
  await settled()
  expect((await bytesOf(server.contents[0])).equals(await bytesOf(file))).toBe(true)
})

it('many small files change the page a few times, and keep the rows that have not changed', async () => {
  const { queue, settled } = queueWith(fakeServer())
  let changes = 0
  queue.subscribe(() => changes++)
  queue.add(Array.from({ length: 100 }, (_, index) => small(`${String(index)}.txt`)))
  const last = queue.uploads().at(-1)
  await settled()
  expect(changes).toBeLessThan(20)
  expect(queue.uploads().at(-1)).not.toBe(last)
  const [first] = queue.uploads()
  queue.add([small()])
  expect(queue.uploads()[0]).toBe(first)
  queue.pauseAll()
  expect(queue.uploads().filter(isUnfinished)).toEqual([expect.objectContaining({ phase: 'paused' })])
})

it.each([
  ['a refusal', refusal(400, 'bad_request'), false],
  ['a bad name', new Error('The name is reserved.'), false],
  ['a busy server', refusal(503, 'busy'), true],
  ['an upload that has expired', refusal(404, 'not_found'), true],
  ['a lost connection', cut(), true],
  ['the answer of a proxy', new NoAnswerError('answer', 'html', { status: 403 }), true],
])('tells whether %s can be retried', (_, error, expected) => {
  expect(canRetry(error)).toBe(expected)
})

it('all uploads are paused at once, and two run at a time', async () => {
  const { queue, phases, settled } = queueWith(fakeServer())
  queue.add([small('a.txt'), small('b.txt'), small('c.txt')])
  expect(phases()).toEqual(['sending', 'sending', 'waiting'])
  queue.pauseAll()
  await settled()
  expect(phases()).toEqual(['paused', 'paused', 'paused'])
})

it('a name that the server would refuse after the last part fails before the first', async () => {
  const server = fakeServer()
  const { queue, settled } = queueWith(server)
  queue.add([large('nul.txt')])
  await settled()
  expect(queue.uploads()[0]?.error).toMatchObject({ message: expect.stringMatching(/^The name .*Rename the file/) })
  expect(server.log).toEqual([])
})

it('a file that was removed from the disk fails instead of waiting for the network', async () => {
  const file = small()
  file.slice = () => {
    throw new DOMException('gone', 'NotReadableError')
  }
  const { queue, settled } = queueWith(fakeServer(isFirst('upload', { when: 'before', error: cut() })))
  queue.add([file])
  await settled()
  expect(queue.uploads()[0]?.error).toMatchObject({ message: expect.stringMatching(/changed or removed/) })
})

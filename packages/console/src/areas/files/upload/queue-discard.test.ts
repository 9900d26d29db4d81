import { NoAnswerError } from '@svc/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { large, mebibyte, queueWith, refusal, small } from '../../../../test/upload-queue.js'
import { fakeServer } from '../../../../test/upload-server.js'

/** Canceled files, and which uploads the queue discards on the server. */

beforeEach(() => void vi.stubGlobal('isSecureContext', true))
afterEach(() => vi.unstubAllGlobals())

it('a canceled file leaves the queue, and the next one starts', async () => {
  const { queue, stored, settled } = queueWith(fakeServer())
  queue.add([large('a.bin'), large('b.bin'), small('c.txt')])
  queue.cancel(1)
  queue.cancel(2)
  await settled()
  expect(queue.uploads().map(({ name }) => name)).toEqual(['c.txt'])
  expect(stored).toEqual(['c.txt'])
  queue.clearDone()
  expect(queue.uploads()).toEqual([])
})

it('a canceled upload is discarded after its running parts, so that none of them opens another one', async () => {
  const server = fakeServer()
  const { queue, until } = queueWith(server)
  queue.add([large()])
  await until(() => server.counts.uploadChunk > 1)
  queue.cancel(1)
  await until(() => server.counts.uploadDiscard > 0)
  expect(server.log.at(-1)).toBe('uploadDiscard 1')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(server.log.at(-1)).toBe('uploadDiscard 1')
})

it('an upload that the server refuses for good is discarded, and one whose answer is lost is kept', async () => {
  for (const [error, discards] of [
    [refusal(400, 'bad_request'), 1],
    [new NoAnswerError('answer', 'no envelope'), 0],
  ] as const) {
    const server = fakeServer((call, number) =>
      call === 'uploadChunk' && number === 2 ? { when: 'before', error } : undefined,
    )
    const { queue, phases, settled } = queueWith(server)
    queue.add([large()])
    await settled()
    expect([phases(), server.counts.uploadDiscard]).toEqual([['failed'], discards])
  }
})

it('a finished upload is not discarded, and its size is declared once', async () => {
  const server = fakeServer()
  const sizes: (number | undefined)[] = []
  const { uploadChunk } = server.calls
  const calls = {
    ...server.calls,
    uploadChunk: (input: Parameters<typeof uploadChunk>[0], options: Parameters<typeof uploadChunk>[1]) => {
      sizes.push(input.size)
      return uploadChunk(input, options)
    },
  }
  const { queue, settled } = queueWith({ ...server, calls })
  queue.add([large()])
  await settled()
  queue.cancel(1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(sizes[0]).toBe(6 * mebibyte)
  expect(sizes.slice(1).every((size) => size === undefined)).toBe(true)
  expect(server.counts.uploadDiscard).toBe(0)
})

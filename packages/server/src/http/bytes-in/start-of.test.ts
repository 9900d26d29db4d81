import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { startOf } from './start-of.js'

/** The bytes of a text in chunks. `isEnded` tells whether their source has been left or read to its end. */
function textSource(chunks: readonly string[], failure?: Error) {
  const source = { isEnded: false, bytes: generate() }
  async function* generate(): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of chunks) yield Buffer.from(chunk)
      if (failure) throw failure
    } finally {
      source.isEnded = true
    }
  }
  return source
}

it.each([
  ['no bytes', []],
  ['an empty chunk', ['']],
  ['as many bytes as allowed', ['abc', '', 'd']],
])('%s are returned whole', async (_, chunks) => {
  const { bytes } = textSource(chunks)
  expect(await startOf(bytes, 4)).toEqual(Buffer.from(chunks.join('')))
})

it('more bytes are returned from their beginning', async () => {
  const source = textSource(['abc', 'de', 'fg'])
  const rest = await startOf(source.bytes, 4)
  expect((await buffer(Readable.from(rest as AsyncIterable<Uint8Array>))).toString()).toBe('abcdefg')
  expect(source.isEnded).toBe(true)
})

it('leaving the bytes ends their source', async () => {
  const source = textSource(['abc', 'de', 'fg', 'h'])
  let read = 0
  for await (const chunk of (await startOf(source.bytes, 4)) as AsyncIterable<Uint8Array>)
    if ((read += chunk.length) > 5) break
  expect([read, source.isEnded]).toEqual([7, true])
})

it('fails with the error of the source, at the start and later', async () => {
  await expect(startOf(textSource(['abc'], new Error('left')).bytes, 4)).rejects.toThrow('left')
  const rest = await startOf(textSource(['abcde'], new Error('left')).bytes, 4)
  await expect(buffer(Readable.from(rest as AsyncIterable<Uint8Array>))).rejects.toThrow('left')
})

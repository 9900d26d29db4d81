import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { fieldPart, filePart, formOf, formType } from '../../../test/byte-forms.js'
import type { ByteBody } from './byte-body.js'
import { jsonBody } from './json-body.js'
import { multipartBody } from './multipart-body.js'

const names = { field: 'content', name: 'name', mediaType: 'media_type' }
type Arriving = AsyncGenerator<Buffer>

it.each<[string, (arriving: Arriving) => ByteBody, string | Buffer]>([
  [
    'JSON',
    (arriving) => jsonBody(arriving, names, (given) => given as object),
    `{"a":"${'a'.repeat(20)}","content":"YQ==","b":"${'b'.repeat(20)}"}`,
  ],
  [
    'a form',
    (arriving) => multipartBody(arriving, formType, names, (given) => given),
    formOf(fieldPart('a', 'a'.repeat(20)), filePart('a'), fieldPart('b', 'b'.repeat(20))),
  ],
])('%s: the reader of the bytes sees each arrival, also of other fields', async (_, open, text) => {
  let arrivals = 0
  async function* oneByOne(): Arriving {
    for (const byte of Buffer.from(text)) {
      await nextTurn()
      arrivals++
      yield Buffer.of(byte)
    }
  }
  const body = open(oneByOne())
  let seen = 0
  let bytes = ''
  for await (const chunk of body.bytes) {
    if (seen < arrivals) expect(++seen).toBe(arrivals)
    bytes += Buffer.from(chunk).toString()
  }
  expect([seen, bytes]).toEqual([Buffer.byteLength(text), 'a'])
})

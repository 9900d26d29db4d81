import { expect, it } from 'vitest'
import { readEvents } from '../src/index.js'

async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

async function read(...texts: string[]) {
  const position = { lastId: '' }
  const events = []
  for await (const { type, data } of readEvents(chunksOf(...texts), position))
    events.push([type, data, position.lastId])
  return { events, lastId: position.lastId }
}

it.each([
  ['one event', ['id: 7\ndata: {"a":1}\n\n'], [['message', '{"a":1}', '7']], '7'],
  ['a type', ['event: reset\nid: 8\ndata: {}\n\n'], [['reset', '{}', '8']], '8'],
  ['an id without an event', ['retry: 3000\nid: 5\n\n'], [], '5'],
  ['comments', [': keep-alive\n\n', 'data: x\n\n'], [['message', 'x', '']], ''],
  ['several lines of data', ['data: a\ndata:b\ndata\n\n'], [['message', 'a\nb\n', '']], ''],
  ['an event in many chunks', Array.from('id: 7\ndata: ä\n\n'), [['message', 'ä', '7']], '7'],
  [
    'CR LF, and CR LF in two chunks',
    ['data: a\r\n\r', '\ndata: b\r\n\r\n'],
    [
      ['message', 'a', ''],
      ['message', 'b', ''],
    ],
    '',
  ],
  [
    'CR',
    ['data: a\r\rdata: b\r\r\n'],
    [
      ['message', 'a', ''],
      ['message', 'b', ''],
    ],
    '',
  ],
  ['an event without its end', ['data: a\n\ndata: b\n'], [['message', 'a', '']], ''],
  ['an id with NUL', ['id: 1\n\nid: 2\0\n\n'], [], '1'],
  ['unknown fields', ['other: x\ndata: a\n\n'], [['message', 'a', '']], ''],
])('reads %s', async (_, texts, events, lastId) => {
  expect(await read(...texts)).toEqual({ events, lastId })
})

it('reads a character whose bytes are in two chunks', async () => {
  const bytes = new TextEncoder().encode('data: €\n\n')
  async function* halves() {
    yield bytes.slice(0, 7)
    yield bytes.slice(7)
  }
  const seen = []
  for await (const { data } of readEvents(halves())) seen.push(data)
  expect(seen).toEqual(['€'])
})

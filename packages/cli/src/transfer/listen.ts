import type { Operation } from '@svc/contract'
import { NoAnswerError, readEvents, type AnyInput, type Caller, type EventPosition } from '@svc/client'
import { escapeJson } from '@svc/server'
import { note } from '../output.js'
import { chunksOf } from './download.js'
import { Patience } from './patience.js'

/**
 * The events of a stream, each as a line of JSON, until the process ends. After a break it continues behind the last event.
 * @throws the errors of `Caller`
 */
export async function* listen(call: Caller, op: Operation, input: AnyInput): AsyncGenerator<string, void> {
  const patience = new Patience((text) => note(`svc: ${text}`))
  const position: EventPosition = { lastId: '' }
  let attempt = 0
  const onChunk = () => {
    attempt = 0
    patience.renew()
  }
  for (;;)
    try {
      const chunks = chunksFrom(await open(call, op, input, position), onChunk)
      for await (const { data } of readEvents(chunks, position)) yield escapeJson(`${data}\n`)
      throw new NoAnswerError('network', 'the server has ended the stream')
    } catch (error) {
      await patience.pause(error, attempt++)
    }
}

async function open(call: Caller, op: Operation, input: AnyInput, { lastId }: EventPosition) {
  const abort = new AbortController()
  const headers = lastId === '' ? {} : { 'last-event-id': lastId }
  const answer = await call(op, input, { headers, signal: abort.signal })
  if (answer.kind !== 'stream') throw new NoAnswerError('answer', `${op.id}: the answer has no events`)
  return chunksOf({ response: answer.response, abort })
}

/** Comments count too: they show that the server is there. */
async function* chunksFrom(chunks: AsyncIterable<Uint8Array>, onChunk: () => void): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    onChunk()
    yield chunk
  }
}

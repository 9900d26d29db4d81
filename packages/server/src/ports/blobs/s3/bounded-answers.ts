import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'

/** The longest answer that is not an object, in bytes. A list of 1,000 objects has less than 1 MiB. */
const answerBytesMax = 8 * 1024 * 1024

/** The longest time for the body of such an answer, in milliseconds. */
const answerMs = 60_000

/** The provider was silent for so long that the request is not repeated. */
class SilentProvider extends Error {
  override readonly name = 'SilentProvider'
}

interface Response {
  readonly statusCode: number
  body: unknown
}

/**
 * Limits what one request of the client may cost: a request that failed because no byte moved for `idleMs` is not repeated, and
 * an answer that is not an object has a limited length and time.
 */
export function boundAnswers({ middlewareStack }: S3Client, idleMs: number): void {
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const startedAt = performance.now()
        const result = await next(args).catch((error: unknown) => {
          throw isTimeout(error) && performance.now() - startedAt > idleMs * 0.9 ? silent(error) : error
        })
        const response = result.response as Response
        const isObject = commandName === 'GetObjectCommand' && response.statusCode < 300
        if (!isObject && response.body instanceof Readable) response.body = Readable.from(limited(response.body))
        return result
      },
    { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
  )
}

/** The SDK gives the same name to broken connections, which have other codes. */
const isTimeout = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  error.name === 'TimeoutError' &&
  ['ETIMEDOUT', undefined].includes((error as NodeJS.ErrnoException).code)

/** Without a cause: the SDK would repeat the request because of it. */
const silent = ({ message }: Error) => new SilentProvider(message)

async function* limited(body: Readable): AsyncGenerator<Buffer> {
  const endsAt = performance.now() + answerMs
  let left = answerBytesMax
  for await (const chunk of body as AsyncIterable<Buffer>) {
    left -= chunk.length
    if (left < 0) throw new Error(`The answer is longer than ${String(answerBytesMax)} bytes.`)
    if (performance.now() > endsAt) throw new SilentProvider(`The answer takes longer than ${String(answerMs)} ms.`)
    yield chunk
  }
}

import type { Operation } from '@svc/contract'
import { NoAnswerError, type AnyInput, type Caller } from '@svc/client'
import type { Patience } from './patience.js'

/** How long a download may stop before the connection counts as broken, in milliseconds. */
const idleMs = 60_000

/** A stream of the API that continues after a break. */
export interface Download {
  /** In bytes; undefined if the server does not say. */
  readonly size: number | undefined
  readonly contentDisposition: string | null
  /** A strong entity tag; undefined if the bytes cannot be continued. */
  readonly etag: string | undefined
  /** To be called once. @throws NoAnswerError, SvcError */
  readonly bytesFrom: (position: number) => AsyncGenerator<Uint8Array>
}

interface Opened {
  readonly response: Response
  readonly abort: AbortController
}

/** Compressed bytes have other positions than those that arrive here. With Range, fetch adds this header itself. */
const uncompressed = { 'accept-encoding': 'identity' }

/** Calls an operation with a stream. @throws the errors of `Caller` */
export async function openDownload(
  call: Caller,
  op: Operation,
  input: AnyInput,
  patience: Patience,
): Promise<Download> {
  const open = async (headers: Readonly<Record<string, string>>): Promise<Opened> => {
    const abort = new AbortController()
    const answer = await call(op, input, { headers, signal: abort.signal })
    if (answer.kind === 'stream') return { response: answer.response, abort }
    throw new NoAnswerError('answer', `${op.id}: the answer has no bytes`)
  }
  const first = await open(uncompressed)
  const { headers } = first.response
  const length = headers.get('content-length')
  return {
    size: length === null ? undefined : Number(length),
    contentDisposition: headers.get('content-disposition'),
    etag: strongEtagOf(first.response),
    bytesFrom: (position) => continued(first, position, open, patience),
  }
}

/** Whether the server has other bytes by now than those that were received. */
export const isOtherVersion = (error: unknown): boolean => error instanceof NoAnswerError && error.reason === 'answer'

async function* continued(
  first: Opened,
  start: number,
  open: (headers: Readonly<Record<string, string>>) => Promise<Opened>,
  patience: Patience,
): AsyncGenerator<Uint8Array> {
  const etag = strongEtagOf(first.response)
  let position = start
  let attempt = 0
  let opened: Opened | undefined = first
  if (start > 0) {
    first.abort.abort()
    // An earlier run has received all bytes: a server has no range behind them.
    if (first.response.headers.get('content-length') === String(start)) return
    opened = undefined
  }
  for (;;)
    try {
      opened ??= await open({ range: `bytes=${position}-`, 'if-range': etag ?? '' })
      expectPosition(opened.response, position)
      for await (const chunk of chunksOf(opened)) {
        position += chunk.length
        attempt = 0
        patience.renew()
        yield chunk
      }
      return
    } catch (error) {
      opened = undefined
      // Without an entity tag, the rest could be of other bytes.
      if (etag === undefined) throw error
      await patience.pause(error, attempt++)
    }
}

/** The bytes of a stream. @throws NoAnswerError if the connection breaks or stops */
export async function* chunksOf({ response, abort }: Opened): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const chunk = await (reader && withinIdleTime(reader.read()))
      if (chunk?.value === undefined) return
      yield chunk.value
    }
  } catch (error) {
    throw new NoAnswerError('network', `the answer is incomplete: ${(error as Error).message}`, { cause: error })
  } finally {
    // The reader of the bytes may have left before their end.
    abort.abort()
  }
}

/** @throws Error if the result is late */
function withinIdleTime<R>(result: Promise<R>): Promise<R> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no byte within ${idleMs / 1000} s`)), idleMs)
  })
  return Promise.race([result, late]).finally(() => clearTimeout(timer))
}

/** A weak one does not promise equal bytes (RFC 9110, section 8.8.1). */
function strongEtagOf({ headers }: Response): string | undefined {
  const etag = headers.get('etag') ?? ''
  return etag.startsWith('"') ? etag : undefined
}

/** @throws NoAnswerError if the answer does not continue the bytes */
function expectPosition({ status, headers }: Response, position: number): void {
  if (position === 0) return
  if (status === 200)
    throw new NoAnswerError('answer', 'the file has changed since the download began: run the command again')
  if (headers.get('content-range')?.startsWith(`bytes ${position}-`) !== true)
    throw new NoAnswerError('answer', `the answer does not begin at byte ${position}`)
}

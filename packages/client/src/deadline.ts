import type { HttpRequest } from './request.js'

/** The slowest line on which a body of known length arrives in time. */
const slowestBytesPerSecond = 16 * 1024

/**
 * How long the last bytes of a stream may be in the buffers between this process and the server: the operating system takes
 * some megabytes at once.
 */
const bufferedMs = 60_000

/** The longest timer of Node.js and browsers. */
const longestMs = 2 ** 31 - 1

/** The limit on the time of a call. */
export interface Deadline {
  readonly ms: number
  /** Aborted when the time is over. */
  readonly signal: AbortSignal
  /** Passes the stream on; each chunk starts the time again. */
  readonly watch: (stream: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>
  readonly clear: () => void
}

/**
 * Starts the deadline of a call. `fetch` does not report how much of a body it has sent, except for a stream, whose chunks it
 * takes as the connection accepts them. So a stream may stop for a limited time, and other bodies get a total time by their length.
 */
export function startDeadline(timeoutMs: number, body: HttpRequest['body']): Deadline {
  const abort = new AbortController()
  const ms = Math.min(timeoutMs + timeForBytes(body), longestMs)
  const start = () => setTimeout(() => abort.abort(), ms)
  let timer: ReturnType<typeof start> | undefined = start()
  const clear = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const watch = (stream: ReadableStream<Uint8Array>) =>
    stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          // The answer may arrive before the end of the body; the time does not start again after that.
          if (timer !== undefined) {
            clearTimeout(timer)
            timer = start()
          }
          controller.enqueue(chunk)
        },
      }),
    )
  return { ms, signal: abort.signal, watch, clear }
}

/** In milliseconds. */
function timeForBytes(body: HttpRequest['body']): number {
  if (body === undefined || typeof body === 'string') return 0
  if (body instanceof ReadableStream) return bufferedMs
  return Math.ceil(lengthOf(body) / slowestBytesPerSecond) * 1000
}

function lengthOf(body: Uint8Array | Blob | FormData): number {
  if (body instanceof Uint8Array) return body.byteLength
  if (body instanceof Blob) return body.size
  return Array.from(body.values()).reduce((sum, value) => sum + (typeof value === 'string' ? 0 : value.size), 0)
}

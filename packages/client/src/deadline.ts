import type { Bytes } from './request.js'

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
export function startDeadline(timeoutMs: number, bytes: Bytes | undefined): Deadline {
  const abort = new AbortController()
  const ms = Math.min(timeoutMs + timeForBytes(bytes), longestMs)
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
function timeForBytes(bytes: Bytes | undefined): number {
  if (bytes === undefined) return 0
  if (bytes instanceof ReadableStream) return bufferedMs
  const length = bytes instanceof Uint8Array ? bytes.byteLength : bytes.size
  return Math.ceil(length / slowestBytesPerSecond) * 1000
}

import { fstatSync, write, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const stdout = 1

/** The size and the age at which buffered lines are written: a write for each line would cost more than the line. */
const gatherChars = 12 * 1024
const gatherMs = 500

/** Lines beyond this are dropped: a reader that stalls must not fill the memory. In characters. */
const waitingChars = 16 * 1024 * 1024

/** How soon a full pipe is tried again. */
const retryMs = 5

/** How long a reader that stalls may hold up the end of the process. */
const flushMs = 1_000
const flushAtExitMs = 200

/**
 * Writes the log to stdout without holding up the event loop, and at the end for a short time only: a reader that exits
 * (EPIPE) or stalls (EAGAIN) only costs log lines. Not sonic-boom, which pino brings: its flushSync() retries after
 * EPIPE without end, so that the process never ends (4.2.1).
 */
export class LogOutput {
  #waiting = ''
  /** The chunk that is being written by a thread of libuv's pool, or that waits for its retry. */
  #chunk: Buffer | undefined
  #inPool = false
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param onError is told of each write that failed, unless the pipe was only full */
  constructor(private readonly onError: (error: Error) => void) {
    neverBlock()
    setInterval(() => {
      this.#start()
    }, gatherMs).unref()
    process.on('exit', () => {
      if (!this.#isClosed) this.flush(flushAtExitMs)
    })
  }

  write(line: string): void {
    if (this.#waiting.length > waitingChars) return
    this.#waiting += line
    if (this.#waiting.length >= gatherChars) this.#start()
  }

  /** Writes everything before it returns, or gives up after some milliseconds. */
  flush(ms: number = flushMs): void {
    const until = performance.now() + ms
    // A thread of the pool is already writing this chunk.
    if (this.#inPool) this.#waiting = this.#writeNow(Buffer.from(this.#take()), until)?.toString() ?? ''
    else this.#chunk = this.#writeNow(Buffer.concat([this.#chunk ?? empty, Buffer.from(this.#take())]), until)
  }

  /** Writes everything, or gives up after a second. Later lines are lost. */
  async close(): Promise<void> {
    const until = performance.now() + flushMs
    while (this.#hasMore && performance.now() < until) {
      this.#start()
      await sleep(retryMs)
    }
    this.#isClosed = true
  }

  get #hasMore(): boolean {
    return this.#chunk !== undefined || this.#waiting !== ''
  }

  #take(): string {
    const text = this.#waiting
    this.#waiting = ''
    return text
  }

  #start(): void {
    if (this.#inPool || this.#retry !== undefined) return
    if (this.#chunk === undefined && this.#waiting !== '') this.#chunk = Buffer.from(this.#take())
    if (this.#chunk !== undefined) this.#write(this.#chunk)
  }

  #write(chunk: Buffer): void {
    this.#inPool = true
    write(stdout, chunk, (error, written) => {
      this.#inPool = false
      this.#chunk = error === null ? restOf(chunk, written) : this.#afterError(error, chunk)
      if (isFull(error)) this.#retryLater()
      else if (error === null && (this.#chunk !== undefined || this.#waiting.length >= gatherChars)) this.#start()
    })
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#start()
    }, retryMs).unref()
  }

  /** @returns the rest that could not be written; undefined if all was written */
  #writeNow(chunk: Buffer, until: number): Buffer | undefined {
    for (let rest = restOf(chunk, 0); rest !== undefined; rest = this.#writeOnce(rest))
      if (performance.now() >= until) return rest
    return undefined
  }

  #writeOnce(chunk: Buffer): Buffer | undefined {
    try {
      return restOf(chunk, writeSync(stdout, chunk))
    } catch (error) {
      if (!isFull(error)) {
        this.onError(error as Error)
        return undefined
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
      return chunk
    }
  }

  /** @returns the bytes to retry: a full disk may have room later, but a reader that has exited does not return */
  #afterError(error: NodeJS.ErrnoException, chunk: Buffer): Buffer | undefined {
    if (!isFull(error)) this.onError(error)
    return error.code === 'EPIPE' ? undefined : chunk
  }
}

const empty = Buffer.alloc(0)

const restOf = (chunk: Buffer, written: number): Buffer | undefined =>
  written < chunk.length ? chunk.subarray(written) : undefined

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EAGAIN'

/**
 * A write to a full pipe must fail and not block: it would take a thread of the pool for good, and flush() the whole
 * process. Node.js sets O_NONBLOCK when it opens its stream, and takes it off at exit.
 */
function neverBlock(): void {
  const kind = fstatSync(stdout)
  if (kind.isFIFO() || kind.isSocket()) process.stdout.on('error', () => undefined)
}

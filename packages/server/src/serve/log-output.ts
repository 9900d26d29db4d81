import { fstatSync, write, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const stdout = 1

/** Buffered lines are written at this size or after this time: a write for each line would cost more than the line. */
const batchChars = 32 * 1024
const batchMs = 500

/** Beyond this many buffered characters, lines are dropped: a stalled reader must not fill the memory. */
const bufferMaxChars = 16 * 1024 * 1024

/** The wait before the next write to a full pipe. */
const retryMs = 5

/** How long a stalled reader may delay the end of the process. */
const flushMs = 1_000
const flushAtExitMs = 200

/**
 * Writes the log to stdout without blocking the event loop, and with a short deadline at the end of the process: a reader
 * that exits (EPIPE) or stalls (EAGAIN) loses only log lines. Replaces pino's sonic-boom, whose flushSync() retries after
 * EPIPE forever, so that the process never ends (4.2.1).
 */
export class LogOutput {
  #buffered = ''
  /** The chunk that a thread of libuv's pool is writing, or that is retried soon. */
  #chunk: Buffer | undefined
  #inPool = false
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param onError called for each failed write, except for a full pipe */
  constructor(private readonly onError: (error: Error) => void) {
    setNonBlocking()
    setInterval(() => {
      this.#start()
    }, batchMs).unref()
    process.on('exit', () => {
      if (!this.#isClosed) this.flush(flushAtExitMs)
    })
  }

  write(line: string): void {
    if (this.#buffered.length > bufferMaxChars) return
    this.#buffered += line
    if (this.#buffered.length >= batchChars) this.#start()
  }

  /** Writes all buffered lines synchronously, or gives up after `ms` milliseconds. */
  flush(ms: number = flushMs): void {
    const until = performance.now() + ms
    // A thread of the pool is already writing this chunk.
    if (this.#inPool) this.#buffered = this.#writeNow(Buffer.from(this.#take()), until)?.toString() ?? ''
    else this.#chunk = this.#writeNow(Buffer.concat([this.#chunk ?? empty, Buffer.from(this.#take())]), until)
  }

  /** Writes all buffered lines, or gives up after a second. Later lines are lost. */
  async close(): Promise<void> {
    const until = performance.now() + flushMs
    while (this.#hasMore && performance.now() < until) {
      this.#start()
      await sleep(retryMs)
    }
    this.#isClosed = true
  }

  get #hasMore(): boolean {
    return this.#chunk !== undefined || this.#buffered !== ''
  }

  #take(): string {
    const text = this.#buffered
    this.#buffered = ''
    return text
  }

  #start(): void {
    if (this.#inPool || this.#retry !== undefined) return
    if (this.#chunk === undefined && this.#buffered !== '') this.#chunk = Buffer.from(this.#take())
    if (this.#chunk !== undefined) this.#write(this.#chunk)
  }

  #write(chunk: Buffer): void {
    this.#inPool = true
    write(stdout, chunk, (error, written) => {
      this.#inPool = false
      this.#chunk = error === null ? restOf(chunk, written) : this.#afterError(error, chunk)
      if (isFull(error)) this.#retryLater()
      else if (error === null && (this.#chunk !== undefined || this.#buffered.length >= batchChars)) this.#start()
    })
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#start()
    }, retryMs).unref()
  }

  /** @returns the bytes that were not written; undefined if all were */
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

  /** @returns the bytes to retry: a full disk may get space later, but a reader that has exited does not return */
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
 * Makes writes to a full pipe fail with EAGAIN. A blocking write would occupy a thread of the pool forever, and in flush()
 * the whole process. Node.js sets O_NONBLOCK when it opens its stream, and clears it at exit.
 */
function setNonBlocking(): void {
  const kind = fstatSync(stdout)
  if (kind.isFIFO() || kind.isSocket()) process.stdout.on('error', () => undefined)
}

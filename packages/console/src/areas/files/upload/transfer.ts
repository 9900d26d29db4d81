import { fileNameProblem, mediaTypePattern } from '@svc/contract'
import type { StoredFile, Surroundings, UploadCalls } from './calls.js'
import { PartPlan, partBytesAt, type Part } from './part-plan.js'
import { SpeedMeter } from './speed-meter.js'
import { canRetry, verdictOf } from './verdict.js'

/** Requests of one file at the same time. A browser opens six connections to a server; the pages need some of them. */
const lanes = 2
/** Failures in a row while the server can be reached. */
const attemptsMax = 6
const delayMs = (failures: number) => Math.min(1000 * 2 ** (failures - 1), 30_000)

/** How long a request may take before the connection counts as lost, in milliseconds. */
const patienceMs = (bytes: number, bytesPerSecond: number | undefined) =>
  60_000 + Math.ceil((bytes * 10_000) / (bytesPerSecond ?? 16 * 1024))

export type TransferState = 'sending' | 'finishing' | 'offline'

interface Dependencies {
  readonly calls: UploadCalls
  readonly surroundings: Surroundings
  /** Called when the state or the progress changes. */
  readonly onChange: () => void
}

/** Sends one file. It keeps its progress, so that `send` can be called again after a pause or a failure. */
export class Transfer {
  state: TransferState = 'sending'
  #plan: PartPlan | undefined
  #uploadId: number | undefined
  /** In a row. */
  #failures = 0
  /** Those of them at which the server could be reached. */
  #refusals = 0
  /** The whole file was sent in one request, whose answer was lost. */
  #mayBeStored = false
  readonly #meter = new SpeedMeter()

  constructor(
    readonly file: File,
    private readonly dependencies: Dependencies,
  ) {}

  get sentBytes(): number {
    return this.#plan?.sentBytes ?? 0
  }

  get bytesPerSecond(): number | undefined {
    return this.#meter.at(this.dependencies.surroundings.now())
  }

  /**
   * Sends what the server does not have yet. Waits for the network if it is lost.
   * @throws the error that ended it; the reason of the signal
   */
  async send(signal: AbortSignal): Promise<StoredFile> {
    const problem = fileNameProblem(this.file.name)
    if (problem !== undefined) throw new Error(`The name ${problem}. Rename the file, then upload it again.`)
    this.#failures = 0
    this.#refusals = 0
    for (;;) {
      this.#begin()
      try {
        return await this.#attempt(signal)
      } catch (error) {
        signal.throwIfAborted()
        await this.#recover(error, signal)
      }
    }
  }

  #begin(): void {
    this.#meter.start(this.dependencies.surroundings.now())
    if (this.#failures === 0) this.#enter('sending')
  }

  #enter(state: TransferState): void {
    this.state = state
    this.dependencies.onChange()
  }

  /** Waits before the next attempt. @throws the error if no further attempt is made */
  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const verdict = verdictOf(error)
    this.#failures++
    if (verdict === 'expired') this.#forget()
    if (verdict === 'refused' && !canRetry(error)) await this.discard()
    if (verdict === 'refused' || verdict === 'expired') throw error
    await this.#requireReadable()
    this.#enter('offline')
    // A server that refuses a body early may close the connection, which looks like a lost one: it is repeated, but not forever.
    if (verdict === 'busy' || (await this.#isReachable())) this.#refusals++
    if (this.#refusals >= attemptsMax) throw error
    signal.throwIfAborted()
    await this.dependencies.surroundings.wait(delayMs(this.#failures), signal)
    signal.throwIfAborted()
  }

  /**
   * Removes the parts from the server: they would count against the limits of the account for a day. If that fails, they expire, and the
   * list of unfinished uploads has them.
   */
  async discard(): Promise<void> {
    const id = this.#uploadId
    this.#forget()
    if (id !== undefined) await this.dependencies.calls.uploadDiscard({ upload_id: id }).catch(() => undefined)
  }

  /** The next attempt starts anew. */
  #forget(): void {
    this.#plan = undefined
    this.#uploadId = undefined
  }

  async #isReachable(): Promise<boolean> {
    return this.dependencies.calls.list().then(
      () => true,
      (error: unknown) => verdictOf(error) !== 'lost',
    )
  }

  /**
   * Whether one request may send the whole file: only if the file can be recognized after a lost answer, because a repeat would store
   * it twice. On a page without TLS, browsers compute no digests: there, also a small file is sent as a part, whose end can be repeated.
   */
  get #fitsOneRequest(): boolean {
    const { size } = this.file
    return this.#plan === undefined && (size === 0 || (size <= partBytesAt(undefined) && globalThis.isSecureContext))
  }

  /** Finds the file among the newest ones, after the answer to its only request was lost. @returns undefined if it is not there */
  async #alreadyStored(): Promise<StoredFile | undefined> {
    const { name, size } = this.file
    const sha256 = size === 0 ? undefined : await sha256Of(this.file)
    const { files } = await this.dependencies.calls.list()
    return files.find(
      (stored) => stored.name === name && stored.size === size && (sha256 === undefined || stored.sha256 === sha256),
    )
  }

  /** A browser reports a file that was changed or removed like a lost connection. */
  async #requireReadable(): Promise<void> {
    try {
      await this.file.slice(0, 1).arrayBuffer()
    } catch (cause) {
      await this.discard()
      throw new Error('The file was changed or removed on this device. Choose it again.', { cause })
    }
  }

  async #attempt(signal: AbortSignal): Promise<StoredFile> {
    if (this.#fitsOneRequest) {
      const stored = this.#mayBeStored ? await this.#alreadyStored() : undefined
      if (stored !== undefined) return stored
      this.#mayBeStored = true
      return this.dependencies.calls.upload(this.#details, this.#options(this.file, signal))
    }
    const plan = (this.#plan ??= new PartPlan(this.file.size))
    // One part alone: it opens the upload, or finds out whether the network is back and which parts have arrived.
    await this.#sendNext(plan, signal)
    await this.#sendRest(plan, signal)
    signal.throwIfAborted()
    this.#enter('finishing')
    const uploadId = this.#uploadId ?? 0
    const stored = await this.dependencies.calls.uploadFinalize({
      ...this.#details,
      upload_id: uploadId,
      parts: plan.count,
    })
    this.#uploadId = undefined
    return stored
  }

  async #sendRest(plan: PartPlan, signal: AbortSignal): Promise<void> {
    let hasFailed = false
    const lane = async () => {
      try {
        while (!hasFailed && (await this.#sendNext(plan, signal)));
      } catch (error) {
        // The other lanes finish their parts, which would otherwise be sent again.
        hasFailed = true
        throw error
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: lanes }, lane))
    const failed = ends.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  /** @returns false if no part is left to send */
  async #sendNext(plan: PartPlan, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted()
    const part = plan.take(this.bytesPerSecond)
    if (part === undefined) return false
    try {
      await this.#sendPart(plan, part, signal)
    } finally {
      plan.release(part)
    }
    return true
  }

  async #sendPart(plan: PartPlan, { index, start, end }: Part, signal: AbortSignal): Promise<void> {
    const options = this.#options(this.file.slice(start, end), signal)
    const size = this.#uploadId === undefined ? this.file.size : undefined
    const answer = await this.dependencies.calls.uploadChunk({ upload_id: this.#uploadId, index, size }, options)
    this.#uploadId = answer.upload_id
    plan.confirm([index, ...answer.received])
    this.#meter.add(end - start, this.dependencies.surroundings.now())
    this.#failures = 0
    this.#refusals = 0
    this.#enter('sending')
  }

  #options(bytes: Blob, signal: AbortSignal) {
    const timeout = AbortSignal.timeout(patienceMs(bytes.size, this.bytesPerSecond))
    return { bytes, signal: AbortSignal.any([signal, timeout]) }
  }

  get #details() {
    const { name, type } = this.file
    return { name, media_type: new RegExp(mediaTypePattern).test(type) ? type : undefined }
  }
}

async function sha256Of(file: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { StorageError, type Bytes } from '../port.js'
import { signBody } from './client.js'
import { isMissing } from './errors.js'
import { Part, smallPartBytes } from './part.js'
import type { PartMemory } from './part-memory.js'

/** How many parts of one upload are in memory: two that are sent, and one that is filled. */
const partsHeldMax = 3

/** S3's limit. With 8 MiB each, an object has at most 78 GiB. */
const partsMax = 10_000

interface Target {
  readonly Bucket: string
  readonly Key: string
}

/** Sends one object: in one request if it fits into a part, otherwise as a multipart upload. Used once. */
export class Upload {
  readonly #abort = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  readonly #sent: { PartNumber: number; ETag: string }[] = []
  #id: string | undefined
  /** Of all parts, in bytes. */
  #size = 0
  #wasBegunAgain = false
  #failure: { readonly error: unknown } | undefined
  #partsBegun = 0
  /** Units of `memory`. */
  #partsHeld = 0
  /** Bytes that have arrived since `#arrivingSince`, on the clock of `performance.now()`. */
  #arrived = 0
  #arrivingSince = 0

  constructor(
    private readonly client: S3Client,
    private readonly target: Target,
    private readonly memory: PartMemory,
    /** How long the rate of the bytes is measured, in milliseconds. */
    private readonly rateMs: number,
    /** The options of requests that clean up. */
    private readonly cleaningUp: () => { readonly abortSignal: AbortSignal },
  ) {}

  /** Whether the provider may have begun another upload of the object, in an attempt whose answer was lost. */
  get wasBegunAgain(): boolean {
    return this.#wasBegunAgain
  }

  /**
   * Sends all bytes.
   * @throws the error of `bytes`, of the SDK, or StorageError: then nothing is left, or what the provider did not remove
   */
  async send(bytes: Bytes): Promise<void> {
    try {
      const last = await this.#sendFullParts(bytes)
      if (this.#id === undefined) await this.#sendWhole(last)
      else await this.#complete(last)
    } catch (error) {
      this.#abort.abort()
      await Promise.allSettled(this.#sending)
      // The caller needs the first error. The sweep finds what could not be removed.
      await Promise.allSettled([this.#abortUpload()])
      throw error
    } finally {
      this.memory.release(this.#partsHeld)
    }
  }

  /** @returns the last part, which may be empty */
  async #sendFullParts(bytes: Bytes): Promise<Part> {
    let part = new Part()
    for await (const chunk of bytes) {
      if (this.#partsHeld > 0) this.#refuseSlow(chunk.length)
      for (let rest = chunk; rest.length > 0;) {
        if (part.isFull) {
          await this.#start(part)
          part = new Part()
          this.#measureRate()
        }
        if (this.#partsHeld === 0 && part.size + rest.length > smallPartBytes) {
          await this.memory.takeFirst()
          this.#partsHeld = 1
          this.#measureRate()
        }
        rest = part.fill(rest)
      }
    }
    return part
  }

  /** Begins to measure: from now on the upload waits for its client, and not for memory or the provider. */
  #measureRate(): void {
    this.#arrived = 0
    this.#arrivingSince = performance.now()
  }

  #refuseSlow(arrived: number): void {
    this.#arrived += arrived
    const ms = performance.now() - this.#arrivingSince
    if (ms < this.rateMs) return
    this.memory.refuseSlow(this.#arrived, ms / 1_000)
    this.#measureRate()
  }

  async #sendWhole(part: Part): Promise<void> {
    const command = new PutObjectCommand({ ...this.target, Body: part.bytes })
    signBody(command, part.digest())
    requireTag(await this.client.send(command))
  }

  /** Resolves when there is memory for the next part. */
  async #start(part: Part): Promise<void> {
    this.#begin(part, await this.#uploadId())
    if (this.#partsHeld < partsHeldMax && (await this.memory.takeAnother())) this.#partsHeld++
    else if (this.#sending.size >= this.#partsHeld) await Promise.race(this.#sending)
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async #complete(last: Part): Promise<void> {
    const UploadId = await this.#uploadId()
    this.#begin(last, UploadId)
    await Promise.all(this.#sending)
    if (this.#failure !== undefined) throw this.#failure.error
    const Parts = this.#sent.sort((a, b) => a.PartNumber - b.PartNumber)
    const command = new CompleteMultipartUploadCommand({ ...this.target, UploadId, MultipartUpload: { Parts } })
    try {
      requireTag(await this.client.send(command))
    } catch (error) {
      // The SDK has repeated the request after a lost answer. Then the provider has forgotten the id, and has the object.
      if ((error as Error).name !== 'NoSuchUpload' || (await this.#storedSize()) !== this.#size) throw error
    }
  }

  async #storedSize(): Promise<number | undefined> {
    try {
      return (await this.client.send(new HeadObjectCommand(this.target))).ContentLength
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async #uploadId(): Promise<string> {
    if (this.#id !== undefined) return this.#id
    const { UploadId, $metadata } = await this.client.send(new CreateMultipartUploadCommand(this.target))
    if (UploadId === undefined) throw new Error('The storage provider began an upload without an id.')
    this.#id = UploadId
    this.#wasBegunAgain = ($metadata.attempts ?? 1) > 1
    return UploadId
  }

  #begin(part: Part, uploadId: string): void {
    const number = ++this.#partsBegun
    this.#size += part.size
    if (number > partsMax)
      throw new StorageError('The bytes could not be stored: the file is larger than the storage provider accepts.')
    const sending = this.#sendPart(part, uploadId, number).then(
      () => {
        this.#sending.delete(sending)
      },
      (error: unknown) => {
        this.#sending.delete(sending)
        this.#failure ??= { error }
      },
    )
    this.#sending.add(sending)
  }

  async #sendPart(part: Part, UploadId: string, PartNumber: number): Promise<void> {
    const command = new UploadPartCommand({ ...this.target, UploadId, PartNumber, Body: part.bytes })
    signBody(command, part.digest())
    this.#sent.push({
      PartNumber,
      ETag: requireTag(await this.client.send(command, { abortSignal: this.#abort.signal })),
    })
  }

  async #abortUpload(): Promise<void> {
    if (this.#id === undefined) return
    const command = new AbortMultipartUploadCommand({ ...this.target, UploadId: this.#id })
    await this.client.send(command, this.cleaningUp())
  }
}

/** Every provider names what it has stored. @throws Error for the answer of another server, such as a proxy */
function requireTag({ ETag }: { ETag?: string | undefined }): string {
  if (ETag === undefined) throw new Error('The answer of the storage provider has no ETag.')
  return ETag
}

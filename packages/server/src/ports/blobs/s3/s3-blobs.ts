import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  type AbortMultipartUploadCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { MeasuredBytes } from '../measured-bytes.js'
import {
  StorageError,
  type BlobKey,
  type Blobs,
  type ByteRange,
  type Bytes,
  type Listed,
  type MarkName,
  type Stored,
} from '../port.js'
import { openClient, type S3Limits, type S3Location } from './client.js'
import { isMissing, rethrowAs } from './errors.js'
import { S3Marks } from './marks.js'
import { PartMemory } from './part-memory.js'
import { Upload } from './upload.js'

/** The bucket may hold other objects besides those of svc. */
const prefix = 'blobs/'

const pingMs = 2_000

/** How long the stop waits for uploads that clean up after themselves: the process has less than a second left. */
const closeMs = 500

interface CallOptions {
  readonly abortSignal?: AbortSignal
}

const cannotStore = rethrowAs('The bytes could not be stored')
const cannotRead = rethrowAs('A stored file cannot be read')
const cannotRemove = rethrowAs('A stored file cannot be removed')
const cannotList = rethrowAs('The stored files cannot be listed')

const defaults: S3Limits = {
  connectMs: 5_000,
  idleMs: 30_000,
  attempts: 3,
  cleanUpMs: 5_000,
  partsInMemory: 64,
  rateMs: 10_000,
}

/** Objects in a bucket of a provider with the S3 API. The first call shows whether the bucket can be used. */
export const openS3Blobs = (location: S3Location, limits = defaults): Blobs =>
  new S3Blobs(openClient(location, limits), location.bucket, limits)

class S3Blobs implements Blobs {
  readonly #marks: S3Marks
  readonly #puts = new Set<Promise<Stored>>()
  readonly #memory: PartMemory

  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly limits: S3Limits,
  ) {
    this.#memory = new PartMemory(limits.partsInMemory)
    this.#marks = new S3Marks(client, bucket)
  }

  async put(key: BlobKey, bytes: Bytes): Promise<Stored> {
    const put = this.#put(key, bytes)
    this.#puts.add(put)
    return put.finally(() => this.#puts.delete(put))
  }

  async #put(key: BlobKey, bytes: Bytes): Promise<Stored> {
    const measured = new MeasuredBytes(bytes)
    const cleaningUp = () => ({ abortSignal: AbortSignal.timeout(this.limits.cleanUpMs) })
    const upload = new Upload(this.client, this.#target(key), this.#memory, this.limits.rateMs, cleaningUp)
    try {
      await upload.send(measured)
    } catch (error) {
      if (measured.failure !== undefined) throw measured.failure.error
      // The provider may have stored the object although its answer was lost. The sweep finds what stays.
      await Promise.allSettled([this.#removeAll(key, cleaningUp())])
      return cannotStore(error)
    }
    // Another upload, whose id was lost, would stay as long as the object.
    if (upload.wasBegunAgain) await Promise.allSettled([this.#removeUnfinished(key, cleaningUp())])
    return measured.stored()
  }

  async open(key: BlobKey, { first, last }: ByteRange): Promise<Readable> {
    const Range = `bytes=${String(first)}-${String(last)}`
    const { Body, ContentLength, ContentRange } = await this.client
      .send(new GetObjectCommand({ ...this.#target(key), Range }))
      .catch(cannotRead)
    if (!(Body instanceof Readable)) throw new StorageError('A stored file cannot be read: the answer has no bytes.')
    const isOtherRange = ContentRange?.startsWith(`bytes ${String(first)}-${String(last)}/`) === false
    if (ContentLength === last - first + 1 && !isOtherRange) return Body
    Body.on('error', () => undefined).destroy()
    throw new StorageError(
      isOtherRange
        ? 'A stored file cannot be read: the answer has other bytes.'
        : 'A stored file cannot be read: the answer has another length.',
    )
  }

  async sizeOf(key: BlobKey): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.client.send(new HeadObjectCommand(this.#target(key)))
      if (ContentLength !== undefined) return ContentLength
    } catch (error) {
      if (!isMissing(error)) return cannotRead(error)
      // The answer is the same if the bucket is missing.
      await this.#findBucket()
      return undefined
    }
    throw new StorageError('A stored file cannot be read: the answer has no length.')
  }

  async remove(key: BlobKey): Promise<void> {
    await this.#removeAll(key).catch(cannotRemove)
  }

  /** Unfinished uploads first: one that is completed in the meantime is found as an object. */
  async *list(): AsyncGenerator<Listed> {
    const { client } = this
    const place = { Bucket: this.bucket, Prefix: prefix }
    try {
      for await (const { name } of unfinishedUploads(client, place)) yield { key: keyOf(name), isWhole: false }
      for await (const { Contents = [] } of paginateListObjectsV2({ client, stopOnSameToken: true }, place))
        for (const { Key = '' } of Contents) yield { key: keyOf(Key), isWhole: true }
    } catch (error) {
      cannotList(error)
    }
  }

  async readMark(name: MarkName): Promise<string | undefined> {
    const text = await this.#marks.read(name).catch(cannotRead)
    // The answer is the same if the bucket is missing.
    if (text === undefined) await this.#findBucket()
    return text
  }

  writeMark(name: MarkName, text: string): Promise<void> {
    return this.#marks.write(name, text).catch(cannotStore)
  }

  createMark(name: MarkName, text: string): Promise<void> {
    return this.#marks.create(name, text).catch(cannotStore)
  }

  ping(): Promise<void> {
    return this.#findBucket({ abortSignal: AbortSignal.timeout(pingMs) })
  }

  async close(): Promise<void> {
    await Promise.race([Promise.allSettled(this.#puts), sleep(closeMs)])
    this.client.destroy()
  }

  async #findBucket(options: CallOptions = {}): Promise<void> {
    await this.client
      .send(new HeadBucketCommand({ Bucket: this.bucket }), options)
      .catch(rethrowAs(`The bucket ${this.bucket} cannot be used`))
  }

  async #removeAll(key: BlobKey, options: CallOptions = {}): Promise<void> {
    await Promise.all([this.#removeObject(key, options), this.#removeUnfinished(key, options)])
  }

  async #removeObject(key: BlobKey, options: CallOptions): Promise<void> {
    try {
      await this.client.send(new DeleteObjectCommand(this.#target(key)), options)
    } catch (error) {
      if (!isMissingObject(error)) throw error
    }
  }

  async #removeUnfinished(key: BlobKey, options: CallOptions): Promise<void> {
    const { Bucket, Key } = this.#target(key)
    for await (const { name, id } of unfinishedUploads(this.client, { Bucket, Prefix: Key }, options))
      if (name === Key) await this.#abort({ Bucket, Key, UploadId: id }, options)
  }

  async #abort(upload: AbortMultipartUploadCommandInput, options: CallOptions): Promise<void> {
    try {
      await this.client.send(new AbortMultipartUploadCommand(upload), options)
    } catch (error) {
      // It was completed or aborted in the meantime.
      if ((error as Error).name !== 'NoSuchUpload') throw error
    }
  }

  readonly #target = (key: BlobKey) => ({ Bucket: this.bucket, Key: prefix + key })
}

const keyOf = (name: string): BlobKey => name.slice(prefix.length)

const isMissingObject = (error: unknown): boolean => (error as Error).name === 'NoSuchKey'

/** Multipart uploads that were neither completed nor aborted, with the name of their object. The SDK has no paginator for them. */
async function* unfinishedUploads(
  client: S3Client,
  place: { readonly Bucket: string; readonly Prefix: string },
  options: { readonly abortSignal?: AbortSignal } = {},
): AsyncGenerator<{ readonly name: string; readonly id: string }> {
  let start: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined
  for (;;) {
    const page = await client.send(new ListMultipartUploadsCommand({ ...place, ...start }), options)
    for (const { Key, UploadId } of page.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined) yield { name: Key, id: UploadId }
    if (page.IsTruncated !== true) return
    const next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    if (next.KeyMarker === undefined || isDeepStrictEqual(next, start))
      throw new Error('The list of unfinished uploads has the same page again.')
    start = next
  }
}

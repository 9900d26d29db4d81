import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
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
  type Stored,
} from '../port.js'
import { openClient, type S3Limits, type S3Location } from './client.js'
import { isMissing, rethrowAs } from './errors.js'
import { PartMemory } from './part-memory.js'
import { unfinishedUploads } from './unfinished-uploads.js'
import { Upload } from './upload.js'

/** The bucket may hold other objects besides those of svc. */
const prefix = 'blobs/'

const pingMs = 2_000

const cannotStore = rethrowAs('The bytes could not be stored')
const cannotRead = rethrowAs('A stored file cannot be read')
const cannotRemove = rethrowAs('A stored file cannot be removed')
const cannotList = rethrowAs('The stored files cannot be listed')

const defaults: S3Limits = { connectMs: 5_000, idleMs: 30_000, attempts: 3, partsInMemory: 64, rateMs: 10_000 }

/** Objects in a bucket of a provider with the S3 API. The first call shows whether the bucket can be used. */
export const openS3Blobs = (location: S3Location, limits = defaults): Blobs =>
  new S3Blobs(openClient(location, limits), location.bucket, new PartMemory(limits.partsInMemory), limits.rateMs)

class S3Blobs implements Blobs {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly memory: PartMemory,
    private readonly rateMs: number,
  ) {}

  async put(key: BlobKey, bytes: Bytes): Promise<Stored> {
    const measured = new MeasuredBytes(bytes)
    try {
      await new Upload(this.client, this.#target(key), this.memory, this.rateMs).send(measured)
      return measured.stored()
    } catch (error) {
      if (measured.failure !== undefined) throw measured.failure.error
      // The provider may have stored the object although its answer was lost. The sweep finds what stays.
      await Promise.allSettled([this.#removeObject(key)])
      return cannotStore(error)
    }
  }

  async open(key: BlobKey, { first, last }: ByteRange): Promise<Readable> {
    const Range = `bytes=${String(first)}-${String(last)}`
    const { Body, ContentLength } = await this.client
      .send(new GetObjectCommand({ ...this.#target(key), Range }))
      .catch(cannotRead)
    if (!(Body instanceof Readable)) throw new StorageError('A stored file cannot be read: the answer has no bytes.')
    if (ContentLength === last - first + 1) return Body
    Body.on('error', () => undefined).destroy()
    throw new StorageError('A stored file is shorter than it should be.')
  }

  async sizeOf(key: BlobKey): Promise<number | undefined> {
    try {
      return (await this.client.send(new HeadObjectCommand(this.#target(key)))).ContentLength
    } catch (error) {
      if (!isMissing(error)) return cannotRead(error)
      // The answer is the same if the bucket is missing.
      await this.#findBucket()
      return undefined
    }
  }

  async remove(key: BlobKey): Promise<void> {
    await Promise.all([this.#removeObject(key), this.#removeUnfinished(key)]).catch(cannotRemove)
  }

  /** Unfinished uploads first: one that is completed in the meantime is found as an object. */
  async *list(): AsyncGenerator<Listed> {
    const { client, bucket: Bucket } = this
    try {
      for await (const { name } of unfinishedUploads(client, Bucket, prefix)) yield { key: keyOf(name), isWhole: false }
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix }))
        for (const { Key = '' } of Contents) yield { key: keyOf(Key), isWhole: true }
    } catch (error) {
      cannotList(error)
    }
  }

  ping(): Promise<void> {
    return this.#findBucket(AbortSignal.timeout(pingMs))
  }

  close(): Promise<void> {
    this.client.destroy()
    return Promise.resolve()
  }

  async #findBucket(abortSignal?: AbortSignal): Promise<void> {
    const command = new HeadBucketCommand({ Bucket: this.bucket })
    await this.client
      .send(command, abortSignal === undefined ? {} : { abortSignal })
      .catch(rethrowAs(`The bucket ${this.bucket} cannot be used`))
  }

  async #removeObject(key: BlobKey): Promise<void> {
    try {
      await this.client.send(new DeleteObjectCommand(this.#target(key)))
    } catch (error) {
      if (!isMissingObject(error)) throw error
    }
  }

  async #removeUnfinished(key: BlobKey): Promise<void> {
    const target = this.#target(key)
    for await (const { name, id } of unfinishedUploads(this.client, this.bucket, target.Key))
      if (name === target.Key) await this.#abort(target, id)
  }

  async #abort(target: { Bucket: string; Key: string }, UploadId: string): Promise<void> {
    try {
      await this.client.send(new AbortMultipartUploadCommand({ ...target, UploadId }))
    } catch (error) {
      // It was completed or aborted in the meantime.
      if ((error as Error).name !== 'NoSuchUpload') throw error
    }
  }

  readonly #target = (key: BlobKey) => ({ Bucket: this.bucket, Key: prefix + key })
}

const keyOf = (name: string): BlobKey => name.slice(prefix.length)

const isMissingObject = (error: unknown): boolean => (error as Error).name === 'NoSuchKey'

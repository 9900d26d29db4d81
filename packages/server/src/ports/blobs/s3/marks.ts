import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { MarkName } from '../port.js'
import { isMissing, statusOf } from './errors.js'

/** Beside the objects, so that their list does not have them. */
const prefix = 'marks/'

/** More bytes than a mark has. */
const markRange = 'bytes=0-255'

/**
 * How long another process may take from its look-up of a mark to its write. A provider without `If-None-Match` keeps the
 * mark that was written last: all processes read the same one after this time.
 */
const settleMs = 1_000

/** Answers to `If-None-Match: *`: the mark exists, or another process is creating it. */
const takenStatuses = [409, 412]

/** The answer of a provider that refuses `If-None-Match`, such as OpenStack Swift. Others ignore it. */
const notImplemented = 501

/** Marks as objects of a bucket. */
export class S3Marks {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  /** The text of a mark; undefined if it, or the bucket, does not exist. */
  async read(name: MarkName): Promise<string | undefined> {
    try {
      const { Body } = await this.client.send(new GetObjectCommand({ ...this.#target(name), Range: markRange }))
      return await Body?.transformToString('latin1')
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async write(name: MarkName, text: string): Promise<void> {
    await this.client.send(new PutObjectCommand({ ...this.#target(name), Body: text }))
  }

  /** Creates a mark unless it exists. */
  async create(name: MarkName, text: string): Promise<void> {
    if ((await this.read(name)) !== undefined) return
    try {
      await this.client.send(new PutObjectCommand({ ...this.#target(name), Body: text, IfNoneMatch: '*' }))
    } catch (error) {
      if (takenStatuses.includes(statusOf(error))) return
      if (statusOf(error) !== notImplemented) throw error
      await this.write(name, text)
    }
    await sleep(settleMs)
  }

  readonly #target = (name: MarkName) => ({ Bucket: this.bucket, Key: prefix + name })
}

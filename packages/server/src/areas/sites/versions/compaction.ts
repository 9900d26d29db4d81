import { createHash, type Hash } from 'node:crypto'
import type { BlobIntake } from '../../../ports/blobs/intake.js'
import { StorageError, type Blobs } from '../../../ports/blobs/port.js'
import type { Job } from '../../../shared/job.js'
import type { CompactionStore, Pack, PlacedContent } from './compaction-store.js'
import { unusedMs } from './version-store.js'

/** How many objects are looked at in one go. */
const packsAtOnce = 100

/** When an object that could not be compacted is tried again, in milliseconds. */
const retryMs = 60 * 60_000

/** A gap of at most this many bytes is read and dropped: another request to S3 takes longer. */
const gapMax = 1024 * 1024

interface CompactionDependencies {
  readonly store: CompactionStore
  readonly blobs: Pick<Blobs, 'open'>
  readonly intake: Pick<BlobIntake, 'put' | 'settle' | 'discard' | 'remove'>
}

/** Copies the contents of objects of which less than half is live, so that the bytes of old versions are freed. */
export const compactionJob = (dependencies: CompactionDependencies): Job => ({
  name: 'sites.compaction',
  everyMs: 60_000,
  runsIn: 'one process',
  failureMessage: 'an object of sites that holds bytes of old versions could not be compacted',
  run: async (signal) => {
    await compact(dependencies, Date.now(), signal)
  },
})

/**
 * Compacts the objects that are due. An old object stays for half an hour: other processes, and answers that have begun, read it.
 * @param now milliseconds since the epoch
 * @throws the first error, after all other objects
 */
export async function compact(dependencies: CompactionDependencies, now: number, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  for (;;) {
    const packs = await dependencies.store.due(now, packsAtOnce)
    for (const pack of packs) {
      if (signal.aborted) return
      await compactPack(dependencies, pack, now, signal).catch(async (error: unknown) => {
        if (signal.aborted) return
        errors.push(error)
        await dependencies.store.postpone(pack, now + retryMs)
      })
    }
    if (packs.length < packsAtOnce) break
  }
  if (errors.length > 0) throw errors[0]
}

async function compactPack(
  dependencies: CompactionDependencies,
  pack: Pack,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, blobs, intake } = dependencies
  const state = await store.settle(pack)
  if (state === 'gone') intake.remove([pack.key])
  if (state !== 'sparse') return
  const contents = await store.contents(pack)
  const segments = segmentsOf(contents)
  const blob = await intake.put(copy(blobs, pack, segments, signal))
  let isMoved = false
  try {
    isMoved = await store.move(pack, blob, placedBehindEachOther(contents, segments), now + unusedMs)
  } finally {
    if (isMoved) intake.settle(blob.key)
    else await intake.discard(blob.key)
  }
}

/** A form of a content in an object. */
interface Segment {
  readonly start: number
  readonly size: number
  /** Of the content as it is; undefined for a compressed form. */
  readonly sha256: string | undefined
}

const segmentsOf = (contents: readonly PlacedContent[]): readonly Segment[] =>
  contents
    .flatMap(({ sha256, size, start, gzip_start, gzip_size, br_start, br_size }) => [
      { start, size, sha256 },
      { start: gzip_start ?? 0, size: gzip_size ?? 0, sha256: undefined },
      { start: br_start ?? 0, size: br_size ?? 0, sha256: undefined },
    ])
    .filter(({ size }) => size > 0)
    .toSorted((a, b) => a.start - b.start)

/** The contents with their positions in the copy. */
function placedBehindEachOther(
  contents: readonly PlacedContent[],
  segments: readonly Segment[],
): readonly PlacedContent[] {
  const places = new Map<number, number>()
  let end = 0
  for (const { start, size } of segments) {
    places.set(start, end)
    end += size
  }
  // A form without bytes may be anywhere.
  const placeOf = (start: number) => places.get(start) ?? 0
  return contents.map((content) => ({
    ...content,
    start: placeOf(content.start),
    gzip_start: content.gzip_start === null ? null : placeOf(content.gzip_start),
    br_start: content.br_start === null ? null : placeOf(content.br_start),
  }))
}

/** Reads segments of an object. @throws StorageError, also for a content that is damaged: its object is kept as it is */
async function* copy(
  blobs: Pick<Blobs, 'open'>,
  { key }: Pack,
  segments: readonly Segment[],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const run of runsOf(segments)) {
    const first = run[0]?.start ?? 0
    const last = run.at(-1) as Segment
    const cutter = new Cutter(key, run)
    let at = first
    for await (const chunk of await blobs.open(key, { first, last: last.start + last.size - 1 })) {
      signal.throwIfAborted()
      yield* cutter.cut(chunk as Buffer, at)
      at += (chunk as Buffer).length
    }
  }
}

/** Groups segments that are read in one go. */
function runsOf(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const runs: Segment[][] = []
  let end = -Infinity
  for (const segment of segments) {
    if (segment.start - end > gapMax) runs.push([segment])
    else runs.at(-1)?.push(segment)
    end = segment.start + segment.size
  }
  return runs
}

/** Cuts segments out of consecutive chunks, and checks the contents among them. */
class Cutter {
  #next = 0
  #digest: Hash = createHash('sha256')

  constructor(
    private readonly key: string,
    private readonly segments: readonly Segment[],
  ) {}

  /** @param at the position of the chunk in the object */
  *cut(chunk: Buffer, at: number): Generator<Buffer> {
    for (;;) {
      const segment = this.segments[this.#next]
      if (segment === undefined || segment.start >= at + chunk.length) return
      const end = segment.start + segment.size
      const piece = chunk.subarray(Math.max(segment.start - at, 0), end - at)
      this.#digest.update(piece)
      yield piece
      if (end > at + chunk.length) return
      this.#end(segment)
    }
  }

  #end({ sha256 }: Segment): void {
    const found = this.#digest.digest('hex')
    if (sha256 !== undefined && found !== sha256)
      throw new StorageError(`A content of the object ${this.key} is damaged: it is not compacted.`)
    this.#digest = createHash('sha256')
    this.#next++
  }
}

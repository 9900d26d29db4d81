import { stat, statfs } from 'node:fs/promises'
import type { Job } from '../../shared/job.js'
import { LowDiskSpace, nothingLarge, nothingNew, type DiskSpace, type MeasuredSpace } from './port.js'

/** How often the space is measured: always, and while bytes arrive. */
const measureEveryMs = 1_000
const staleAfterMs = 100

/** The default reserve: the smaller of a number of bytes and a fraction of the file system. */
const defaultReserve = { bytes: 256 * 1024 ** 2, fraction: 0.05 }

/** The fraction of the reserve that only deletes and revocations may use. */
const lastPart = 0.25

/** More than the pages of the database that a small change writes. */
const changeBytes = 64 * 1024

interface Options {
  /** Existing directories. Several on one file system count once. */
  readonly paths: readonly string[]
  /** Undefined for the default; 0 for no reserve. */
  readonly reserveBytes: number | undefined
}

/** Measures the file systems of these directories now, and from then on by its job. */
export async function watchFileSystems(options: Options): Promise<FileSystems> {
  const devices = new Map<number, string>()
  for (const path of options.paths) {
    const { dev } = await stat(path)
    if (!devices.has(dev)) devices.set(dev, path)
  }
  const watched = new FileSystems([...devices.values()], options.reserveBytes)
  await watched.measure()
  return watched
}

/** The space of several file systems. What is about to be written counts from the last measurement on. */
export class FileSystems implements DiskSpace {
  #measured: readonly MeasuredSpace[] = []
  #measuredAt = -Infinity
  #measuring: Promise<void> | undefined
  #takenBytes = 0
  #takenByChanges = 0

  constructor(
    private readonly paths: readonly string[],
    private readonly reserveBytes: number | undefined,
  ) {}

  readonly job: Job = {
    name: 'disk.space',
    everyMs: measureEveryMs,
    runsIn: 'every process',
    failureMessage: 'the free space of a disk could not be measured',
    run: () => this.measure(),
  }

  /** @throws the error of the operating system */
  measure(): Promise<void> {
    // One at a time: on a disk that does not answer, more would occupy the threads of libuv's pool.
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined
    })
    return this.#measuring
  }

  require = (bytes = 0): void => {
    if (this.#hasLess(1, bytes)) throw new LowDiskSpace(nothingLarge)
  }

  requireForChange = (): void => {
    if (!this.isLow()) return
    this.#takenByChanges += changeBytes
    this.#measureAgain()
    if (this.#hasLess(lastPart, this.#takenByChanges)) throw new LowDiskSpace(nothingNew)
  }

  take = (bytes: number): void => {
    this.#takenBytes += bytes
    this.#measureAgain()
    this.require()
  }

  isLow = (): boolean => this.#hasLess(1, 0)

  measured = (): readonly MeasuredSpace[] => this.#measured

  /** @param part of the reserve */
  #hasLess(part: number, bytes: number): boolean {
    const needed = this.#takenBytes + bytes
    return this.#measured.some(({ freeBytes, reserveBytes }) => freeBytes - needed < part * reserveBytes)
  }

  #measureAgain(): void {
    // The job reports a failure.
    if (performance.now() - this.#measuredAt > staleAfterMs) this.measure().catch(() => undefined)
  }

  async #measure(): Promise<void> {
    const taken = this.#takenBytes
    const takenByChanges = this.#takenByChanges
    this.#measured = await Promise.all(this.paths.map((path) => this.of(path)))
    this.#measuredAt = performance.now()
    // Those that were taken meanwhile may not be on the disk yet.
    this.#takenBytes -= taken
    this.#takenByChanges -= takenByChanges
  }

  /** The space of the file system of a directory. @throws the error of the operating system */
  async of(path: string): Promise<MeasuredSpace> {
    const { bavail, blocks, bsize } = await statfs(path)
    return { path, freeBytes: bavail * bsize, reserveBytes: reserveOf(blocks * bsize, this.reserveBytes) }
  }
}

/** @param bytes of the file system; 0 if it has no size */
export const reserveOf = (bytes: number, configured: number | undefined): number =>
  configured ?? Math.min(defaultReserve.bytes, Math.floor(bytes * defaultReserve.fraction))

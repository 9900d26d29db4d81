import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, utimes, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { throttledLog } from '../../shared/throttled-log.js'
import { TimeSlices } from '../../shared/time-slices.js'
import type { FollowedZone } from '../zones/followed-zone.js'
import type { OpenZones } from '../zones/open-zones.js'
import { emptyHead, fileHead, parseZoneFile, zoneFileParts, type ZoneFile } from './zone-file.js'

/** A copy that was saved. */
export interface SavedZone extends ZoneFile {
  /** Milliseconds since the primary confirmed it. */
  readonly ageMs: number
}

const extension = '.zone'
const temporary = '.new'

/** Milliseconds before the next attempt when the disk is full or fails. */
const retryMs = 5_000

/** How long the end of the process may take for copies that are not saved, in milliseconds. */
const closeMs = 5_000

/**
 * Keeps the last copies of zones in one folder: a file for each, replaced by rename after fsync. The modification time of a file is when
 * the primary last confirmed its copy. A copy that is not saved yet is transferred again after a crash.
 */
export class ZoneStore {
  private readonly unsaved = new Set<FollowedZone>()
  private readonly removed = new Set<string>()
  private working: Promise<void> | undefined
  private closeUntil = Infinity
  private readonly closing = new AbortController()
  private readonly logFailure: ReturnType<typeof throttledLog>

  constructor(
    private readonly folder: string,
    private readonly openZones: OpenZones,
    private readonly log: Logger,
  ) {
    this.logFailure = throttledLog(log, 'copies of zones cannot be saved')
  }

  /**
   * Reads all copies. Damaged ones are left out and logged, and rests of interrupted writes are removed.
   * @throws Error if the folder cannot be created or read
   */
  async load(): Promise<SavedZone[]> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const zones: SavedZone[] = []
    const slices = new TimeSlices()
    for (const name of await readdir(this.folder)) {
      if (slices.isOver) await slices.next()
      const path = join(this.folder, name)
      if (name.endsWith(temporary)) await rm(path, { force: true })
      if (!name.endsWith(extension)) continue
      const zone = this.read(path)
      if (zone !== undefined && fileOf(zone.name) === name) zones.push(zone)
    }
    return zones
  }

  private read(path: string): SavedZone | undefined {
    try {
      // One file is read in microseconds; the asynchronous functions take a multiple of that.
      const zone = parseZoneFile(readFileSync(path), this.openZones)
      const { mtimeMs } = statSync(path)
      return { ...zone, ageMs: Math.max(Date.now() - mtimeMs, 0) }
    } catch (err) {
      this.log.error({ err, path }, 'the saved copy of a zone cannot be read, and is transferred anew')
      return undefined
    }
  }

  /** Saves the copy soon. */
  save(zone: FollowedZone): void {
    this.removed.delete(zone.name)
    this.unsaved.add(zone)
    this.work()
  }

  /** Removes the copy soon. */
  remove(name: string): void {
    this.removed.add(name)
    this.work()
  }

  /** Notes that the primary has confirmed the copy. A failure only makes the copy look older after a restart. */
  confirm(zone: FollowedZone): void {
    if (this.unsaved.has(zone)) return
    const now = new Date()
    utimes(join(this.folder, fileOf(zone.name)), now, now).catch((err: unknown) => {
      this.log.debug({ err, zone: zone.name }, 'the time of a saved copy cannot be set')
    })
  }

  /** Waits until all copies are saved, the disk fails, or the time is over: what is not saved is transferred again. */
  async close(): Promise<void> {
    this.closeUntil = performance.now() + closeMs
    this.closing.abort()
    await this.working
    const copies = this.unsaved.size
    if (copies > 0) this.log.warn({ copies }, 'copies are not saved, and will be transferred again')
  }

  private work(): void {
    this.working ??= this.saveAll().finally(() => {
      this.working = undefined
      if (this.hasWork && !this.closing.signal.aborted) this.work()
    })
  }

  private get hasWork(): boolean {
    return this.unsaved.size + this.removed.size > 0
  }

  private async saveAll(): Promise<void> {
    const { signal } = this.closing
    while (this.hasWork && performance.now() < this.closeUntil) {
      try {
        await this.saveNext()
      } catch (error) {
        this.logFailure(error)
        if (signal.aborted) return
        // It rejects only when the nameserver closes, which the loop checks.
        await sleep(retryMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  private async saveNext(): Promise<void> {
    const [name] = this.removed
    if (name !== undefined) {
      await rm(join(this.folder, fileOf(name)), { force: true })
      this.removed.delete(name)
      return
    }
    const [zone] = this.unsaved
    if (zone === undefined) return
    // A change during the write is saved afterwards.
    this.unsaved.delete(zone)
    if (zone.isRemoved) return
    try {
      await this.write(zone)
    } catch (error) {
      this.unsaved.add(zone)
      throw error
    }
  }

  private async write(zone: FollowedZone): Promise<void> {
    const path = join(this.folder, fileOf(zone.name))
    const written = `${path}${temporary}`
    try {
      await writeFile(written, zone)
      // The zone may have been removed from the catalog, and come back with another owner.
      if (!zone.isRemoved) await rename(written, path)
      else await rm(written)
    } catch (error) {
      // On a full disk, the rests of many zones would take the last space.
      await rm(written, { force: true })
      throw error
    }
  }
}

async function writeFile(path: string, zone: FollowedZone): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await writeParts(file, zone)
    const contact = new Date(Date.now() - (performance.now() - zone.contactAt))
    await file.utimes(contact, contact)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeParts(file: FileHandle, zone: FollowedZone): Promise<void> {
  const hash = createHash('sha256')
  const head = emptyHead()
  let at = head.length
  for (const part of zoneFileParts(zone)) {
    hash.update(part)
    await writeWhole(file, part, at)
    at += part.length
    await nextTurn()
  }
  await writeWhole(file, fileHead(hash.digest()), 0)
}

/** A full disk may take a part only. */
async function writeWhole(file: FileHandle, part: Buffer, position: number): Promise<void> {
  for (let done = 0; done < part.length;) {
    const { bytesWritten } = await file.write(part, done, part.length - done, position + done)
    done += bytesWritten
  }
}

/** The name of a zone as a file name. Names with other characters, or longer ones, are hashed. */
const fileOf = (name: string): string =>
  /^[a-z\d_][a-z\d_.-]{0,200}$/.test(name)
    ? `${name}${extension}`
    : `${createHash('sha256').update(name).digest('hex')}${extension}`

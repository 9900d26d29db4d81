import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { LocalFile } from './local-file.js'

/** An unfinished upload, so that the next run of the command continues it. */
export interface RecordedUpload {
  readonly upload_id: number
  /** Of the file, in bytes. */
  readonly size: number
  readonly mtime_ms: number
  /** Length of each part but the last. */
  readonly part_bytes: number
  /** The lowest index that the server has not confirmed. */
  readonly next: number
  /** Of the whole file; undefined before all parts are sent. */
  readonly sha256?: string | undefined
}

/** The server forgets an unfinished upload after a day. */
const keptMs = 2 * 24 * 3600_000

/**
 * The record of one file's upload to one server: `$XDG_STATE_HOME/svc/uploads/<hash>.json`. The functions are synchronous,
 * because parts that end at the same time change the same record.
 */
export class UploadRecord {
  readonly #folder: string
  readonly #file: string

  /** @param baseUrl the server's */
  constructor(baseUrl: string, { path }: Pick<LocalFile, 'path'>) {
    this.#folder = join(stateFolder(), 'svc', 'uploads')
    const hash = createHash('sha256')
      .update(JSON.stringify([baseUrl, path]))
      .digest('hex')
      .slice(0, 32)
    this.#file = join(this.#folder, `${hash}.json`)
  }

  /** Reads the record. A missing or damaged one is undefined. @throws the error of the file system */
  load(): RecordedUpload | undefined {
    try {
      const read = JSON.parse(readFileSync(this.#file, 'utf8')) as unknown
      return isRecord(read) ? read : undefined
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Replaces the record whole. @throws the error of the file system */
  save(upload: RecordedUpload): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const temporary = `${this.#file}.${process.pid}`
    writeFileSync(temporary, JSON.stringify(upload), { mode: 0o600 })
    renameSync(temporary, this.#file)
  }

  /** @throws the error of the file system */
  remove(): void {
    rmSync(this.#file, { force: true })
  }

  /** Removes records of uploads that the server has forgotten. @throws the error of the file system */
  removeExpired(now: number): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(this.#folder)) {
      const file = join(this.#folder, name)
      const modifiedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now
      if (now - modifiedAt > keptMs) rmSync(file, { force: true })
    }
  }
}

/** A relative XDG_STATE_HOME is invalid and ignored (XDG Base Directory Specification). */
function stateFolder(): string {
  const given = process.env['XDG_STATE_HOME'] ?? ''
  return isAbsolute(given) ? given : join(homedir(), '.local', 'state')
}

const numbers = ['upload_id', 'size', 'mtime_ms', 'part_bytes', 'next'] as const satisfies (keyof RecordedUpload)[]

function isRecord(read: unknown): read is RecordedUpload {
  if (typeof read !== 'object' || read === null) return false
  const fields = read as Record<string, unknown>
  return (
    numbers.every((name) => Number.isFinite(fields[name]) && Number(fields[name]) >= 0) &&
    Number(fields['part_bytes']) > 0 &&
    (fields['sha256'] === undefined || typeof fields['sha256'] === 'string')
  )
}

import type { LocalFile } from './local-file.js'
import { UploadRecord, type RecordedUpload } from './upload-record.js'

/** Keeps the record of an upload. If the file system refuses that, the upload goes on without one. */
export class RecordKeeper {
  readonly #record: UploadRecord
  #isUsable = true
  #isKept = false

  /** @param baseUrl the server's */
  constructor(
    baseUrl: string,
    private readonly file: LocalFile,
    private readonly note: (text: string) => void,
  ) {
    this.#record = new UploadRecord(baseUrl, file)
    this.#attempt(() => {
      this.#record.removeExpired(Date.now())
    })
  }

  /** Whether the next run of the command can continue this upload. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** @returns the unfinished upload of an earlier run, if the file has not changed since */
  load(): RecordedUpload | undefined {
    const recorded = this.#attempt(() => this.#record.load())
    if (recorded === undefined) return undefined
    if (recorded.size === this.file.size && recorded.mtime_ms === this.file.mtimeMs) return recorded
    this.note('the file has changed since its unfinished upload: all parts are sent again')
    return undefined
  }

  /** Records how far the upload is. */
  save(upload: Pick<RecordedUpload, 'upload_id' | 'part_bytes' | 'next' | 'sha256'>): void {
    this.#attempt(() => {
      this.#record.save({ ...upload, size: this.file.size, mtime_ms: this.file.mtimeMs })
      this.#isKept = true
    })
  }

  /** Removes the record of an upload that is complete or cannot be completed. */
  forget(): void {
    this.#isKept = false
    this.#attempt(() => {
      this.#record.remove()
    })
  }

  #attempt<R>(act: () => R): R | undefined {
    if (!this.#isUsable) return undefined
    try {
      return act()
    } catch (error) {
      this.#isUsable = false
      this.note(`${(error as Error).message}; if this run is interrupted, the next one sends all parts again`)
      return undefined
    }
  }
}

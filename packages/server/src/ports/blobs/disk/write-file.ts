import { giveToFolderOwner } from '../../../shared/private-file.js'
import { open, type FileHandle } from 'node:fs/promises'
import type { Bytes } from '../port.js'

/** The most bytes and chunks that wait for the disk. A chunk of one byte occupies more than 100 bytes of memory. */
const waitingBytes = 512 * 1024
const waitingChunks = 1_000

/**
 * Writes a new file and resolves when its bytes are on the disk. Its name is durable only after `syncFolder`.
 * @throws the error of `bytes` or of the disk
 */
export async function writeFileDurably(path: string, bytes: Bytes): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  giveToFolderOwner(path)
  try {
    const writer = new Writer(file)
    try {
      for await (const chunk of bytes) await writer.write(chunk)
    } finally {
      // Also after an error: a file must not be closed while it is written.
      await writer.settled()
    }
    writer.assertWritten()
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the names in a folder durable (fsync(2): the sync of a file does not include its entry in the folder). */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Writes chunks in their order. What arrives during a write is written together afterwards, because each write is a task of the
 * thread pool. A slow source therefore has no bytes in memory.
 */
class Writer {
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** Never rejects. */
  #writing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(private readonly file: FileHandle) {}

  /** Resolves when the next chunk is welcome. @throws the error of an earlier write */
  async write(chunk: Uint8Array): Promise<void> {
    this.assertWritten()
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#writing === undefined) this.#start()
    else if (this.#waitingBytes >= waitingBytes || this.#waiting.length >= waitingChunks) await this.#writing
  }

  /** Resolves when no write is running or waiting, also after an error. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  /** @throws the error of a write */
  assertWritten(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #start(): void {
    const chunks = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    this.#writing = writeAll(this.file, chunks).then(
      () => {
        this.#writing = undefined
        if (this.#waiting.length > 0) this.#start()
      },
      (error: unknown) => {
        this.#writing = undefined
        this.#failure = { error }
      },
    )
  }
}

/** On a disk that becomes full, a write succeeds in part; the next one has the error. */
async function writeAll(file: FileHandle, chunks: Uint8Array[]): Promise<void> {
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  const { bytesWritten } = await file.writev(chunks)
  if (bytesWritten < size) await writeAll(file, [Buffer.concat(chunks).subarray(bytesWritten)])
}

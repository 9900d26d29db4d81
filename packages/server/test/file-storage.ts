import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { StorageLimits } from '../src/areas/files/storage/limits.js'
import { openDiskBlobs } from '../src/ports/blobs/disk/disk-blobs.js'
import { BlobIntake, type NewBlob } from '../src/ports/blobs/intake.js'
import type { Blobs } from '../src/ports/blobs/port.js'
import type { DatabaseKind } from './app.js'
import { twoProcesses, type TwoProcesses } from './two-processes.js'

/** A database that two processes have opened, with stored bytes on a disk, for tests of the stores of files. */
export interface FileStorage extends TwoProcesses {
  readonly blobs: Blobs
  readonly intake: BlobIntake
  /** Stores bytes that no row refers to yet. */
  readonly put: (content: string | Uint8Array) => Promise<NewBlob>
  /** The keys of all stored objects. */
  readonly stored: () => Promise<string[]>
}

export const noLimits: StorageLimits = { bytesMax: 0, fileBytesMax: 0, uploadsMax: 0, filesMax: 0 }

export async function fileStorage(kind: DatabaseKind): Promise<FileStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-files-'))
  const processes = await twoProcesses(kind)
  const blobs = await openDiskBlobs(folder)
  const intake = new BlobIntake(processes.db, blobs, pino({ level: 'silent' }))
  return {
    ...processes,
    blobs,
    intake,
    put: (content) => intake.put(chunks(Buffer.from(content))),
    stored: async () => {
      const keys: string[] = []
      for await (const { key } of blobs.list()) keys.push(key)
      return keys
    },
    stop: async () => {
      await intake.close()
      await processes.stop()
      await rm(folder, { recursive: true })
    },
  }
}

async function* chunks(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

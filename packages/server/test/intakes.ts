import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { vi } from 'vitest'
import { BlobIntake } from '../src/ports/blobs/intake.js'
import type { BlobKey, Blobs } from '../src/ports/blobs/port.js'
import { selectBlobs } from '../src/ports/blobs/select.js'
import type { DatabaseKind } from './app.js'
import { commitBlob } from './blob-units.js'
import { copyOfDatabase, type DatabaseCopy } from './copy-of-database.js'
import { twoProcesses, type TwoProcesses } from './two-processes.js'

/** A database and a blob store on a disk, used by two processes. */
export interface Intakes {
  readonly folder: string
  readonly processes: TwoProcesses
  readonly blobs: Blobs
  readonly log: Logger
  /** The lines of `log`. */
  readonly logged: string[]
  /** A new intake of the first process. */
  readonly intake: (store?: Blobs) => BlobIntake
  readonly otherIntake: () => BlobIntake
  /** The database as it is now, as if restored from a backup, with an intake that uses the same blob store. */
  readonly copy: () => Promise<DatabaseCopy & { readonly intake: BlobIntake }>
  /** Adds the row of an object of 10 bytes. */
  readonly commit: (key: BlobKey) => Promise<void>
  readonly exists: (key: BlobKey) => Promise<boolean>
  readonly pathOf: (key: BlobKey) => string
  /** Runs the job that renews the leases. */
  readonly lease: (of: BlobIntake) => Promise<void>
  readonly stop: () => Promise<void>
}

export const never = new AbortController().signal

/** Ten bytes. */
export async function* someBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('some bytes')
}

/** Sets the clock forward. The caller sets it back with `vi.useRealTimers()`. */
export function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

export async function startIntakes(kind: DatabaseKind): Promise<Intakes> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-intakes-'))
  const processes = await twoProcesses(kind)
  const blobs = await selectBlobs({ kind: 'disk', folder })
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => logged.push(line) })
  return {
    folder,
    processes,
    blobs,
    log,
    logged,
    intake: (store = blobs) => new BlobIntake(processes.db, store, log),
    otherIntake: () => new BlobIntake(processes.otherDb, blobs, log),
    copy: async () => {
      const copy = await copyOfDatabase(processes.config)
      return { ...copy, intake: new BlobIntake(copy.db, blobs, log) }
    },
    commit: (key) => processes.db.write(commitBlob, key, 10),
    exists: async (key) => (await blobs.sizeOf(key)) !== undefined,
    pathOf: (key) => join(folder, key.charAt(0), key.charAt(1), key),
    lease: async (of) => {
      for (const job of of.jobs) if (job.name === 'blobs.lease') await job.run(never)
    },
    stop: async () => {
      await processes.stop()
      await rm(folder, { recursive: true })
    },
  }
}

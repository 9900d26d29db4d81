import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealedRowsStore } from '../src/app/sealed-rows-store.js'
import type { Database } from '../src/db/port.js'
import type { VaultConfig } from '../src/ports/vault/configured-key.js'
import type { EnvelopeVault } from '../src/ports/vault/envelope-vault.js'
import { rotateMasterKey, type RotationResult } from '../src/ports/vault/rotation.js'
import { MasterKey } from '../src/shared/master-key.js'
import type { DatabaseKind } from './app.js'
import { secretRows, type SecretRows } from './secret-rows.js'
import { twoProcesses, type TwoProcesses } from './two-processes.js'

/** The error of a rotation that a test interrupts. */
export class Interrupted extends Error {}

/** Runs the jobs with which a server notices a rotation, and ends one. */
export const follow = (vault: EnvelopeVault, db: Database) =>
  Promise.all(vault.jobs(sealedRowsStore(db)).map((job) => job.run(new AbortController().signal)))

export const setting = (key: MasterKey | undefined): VaultConfig => ({
  kind: 'setting',
  key: key ?? MasterKey.random(),
})

/** A database with secrets, and a folder for its key file. */
export interface RotationSite {
  readonly place: TwoProcesses
  readonly rows: SecretRows
  readonly folder: string
  readonly keyFile: string
  readonly file: () => VaultConfig
  /** The last key that was printed to stdout. */
  readonly printedKey: () => MasterKey | undefined
  /** @param interruptAfter the number of sentences after which the command is interrupted */
  readonly rotate: (config: VaultConfig, interruptAfter?: number) => Promise<RotationResult>
  readonly stop: () => Promise<void>
}

export async function rotationSite(kind: DatabaseKind): Promise<RotationSite> {
  const place = await twoProcesses(kind)
  const folder = await mkdtemp(join(tmpdir(), 'svc-rotation-'))
  const keyFile = join(folder, 'master.key')
  let printed = ''
  return {
    place,
    folder,
    keyFile,
    rows: secretRows(place.db, place.people[0]?.id ?? 0),
    file: () => ({ kind: 'file', file: keyFile }),
    printedKey: () => MasterKey.parse(printed),
    async rotate(config, interruptAfter = Infinity) {
      let said = 0
      const note = () => {
        if (++said >= interruptAfter) throw new Interrupted()
      }
      const showKey = async (key: string) => {
        printed = key
        if (interruptAfter === 0) throw new Interrupted()
      }
      return rotateMasterKey({
        db: place.otherDb,
        secrets: sealedRowsStore(place.otherDb),
        config,
        followMs: 1,
        showKey,
        note,
      })
    },
    async stop() {
      await place.stop()
      await rm(folder, { recursive: true })
    },
  }
}

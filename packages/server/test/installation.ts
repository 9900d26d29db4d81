import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import { accountStore } from '../src/areas/account/accounts/store.js'
import { readConfig, type Config } from '../src/config/config.js'
import type { Database } from '../src/db/port.js'
import { BlobIntake } from '../src/ports/blobs/intake.js'
import { newBlobKey, type BlobKey, type Blobs } from '../src/ports/blobs/port.js'
import { selectBlobs } from '../src/ports/blobs/select.js'
import type { DatabaseKind } from './app.js'
import { commitBlob, dropBlob } from './blob-units.js'
import { addAccount, createDatabase, newDatabase, openDatabase } from './database-rows.js'
import { runSql } from './site.js'

/** The settings of an installation whose data directory is a folder. */
export async function installationIn(folder: string, kind: DatabaseKind): Promise<Config> {
  return { ...readConfig({ flags: { data: folder }, env: {} }), database: await newDatabase(kind, folder) }
}

/** An installation with two accounts, each with an object. */
export async function smallInstallation(folder: string, kind: DatabaseKind): Promise<Config> {
  const config = await installationIn(folder, kind)
  await createDatabase(config.database)
  const blobs = await selectBlobs(config.blobs)
  await blobs.createMark('owner', '0123456789abcdef')
  for (const email of ['a@example.com', 'b@example.com']) {
    await addAccount(config.database, email)
    const key = newBlobKey(1)
    await blobs.put(key, Readable.from([contentOf(email)]))
    await runSql(config.database, `insert into blob (key, size) values ('${key}', 64)`)
  }
  return config
}

/** The 64 bytes of the object that is stored with an account. */
export const contentOf = (email: string): Buffer => createHash('sha512').update(email).digest()

/** An installation that stores accounts, each with an object, and deletes each third object. */
export class Writing {
  /** The objects that rows refer to, with the accounts that they were stored with. Only what was acknowledged. */
  readonly objects = new Map<BlobKey, string>()
  readonly emails: string[] = []
  #isStopped = false

  private constructor(
    private readonly db: Database,
    private readonly blobs: Blobs,
    private readonly intake: BlobIntake,
  ) {}

  static async start(config: Config): Promise<Writing> {
    const blobs = await selectBlobs(config.blobs)
    const db = await openDatabase(config.database)
    return new Writing(db, blobs, new BlobIntake(db, blobs, pino({ level: 'silent' })))
  }

  /** Writes three accounts and their objects, and deletes one object. */
  async writeThree(name: string): Promise<void> {
    for (const i of [1, 2, 3]) {
      const email = `${name}-${String(i)}@example.com`
      await accountStore(this.db).add({ email, nickname: '', passwordHash: 'x', now: 1 })
      this.emails.push(email)
      const { key } = await this.intake.put(Readable.from([contentOf(email)]))
      await this.db.write(commitBlob, key, 64)
      this.intake.settle(key)
      if (i < 3) this.objects.set(key, email)
      else {
        await this.db.write(dropBlob, key)
        await this.blobs.remove(key)
      }
    }
  }

  /** Writes with eight writers until `stop`. @returns when all of them have ended */
  async run(): Promise<void> {
    const write = async (name: string) => {
      for (let i = 0; !this.#isStopped; i++) await this.writeThree(`${name}-${String(i)}`)
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => write(`writer-${String(i)}`)))
  }

  stop(): void {
    this.#isStopped = true
  }

  async close(): Promise<void> {
    await this.intake.close()
    await this.db.close()
  }
}

export const readObject = async (blobs: Blobs, key: BlobKey, size: number): Promise<Buffer> =>
  buffer(await blobs.open(key, { first: 0, last: size - 1 }))

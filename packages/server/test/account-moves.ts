import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { exportAccount } from '../src/commands/account-export.js'
import { importAccount } from '../src/commands/account-import.js'
import { readConfig, type Config } from '../src/config/config.js'
import { MasterKey } from '../src/shared/master-key.js'
import { comparableRows } from './archived-account.js'

/** The settings that a server shares with the commands. */
export const portsOf = ({ database, blobs, vault }: Config) => ({ database, blobs, vault })

/** Installations and archives of accounts in a temporary folder, which exists during the tests of the file or `describe`. */
export function accountMoves() {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const file = (name: string) => join(folder, name)

  /** The settings of an installation with a separate master key. */
  function installation(name: string, database: Config['database']): Config {
    const config = readConfig({ env: { SVC_DATA: file(name), SVC_DNS_PORT: '0' } })
    return { ...config, database, vault: { kind: 'setting', key: MasterKey.random() } }
  }

  return {
    /** The path of an archive, or of the folder of an installation. */
    file,
    installation,
    onSqlite: (name: string) => installation(name, { kind: 'sqlite', file: join(file(name), 'svc.db') }),
    /** Asserts that the archive is complete. @returns the export key */
    async exportTo(name: string, config: Config, email: string): Promise<string> {
      const keys: string[] = []
      const showKey = async (key: string) => void keys.push(key)
      const done = await exportAccount(config, { email, file: file(name), showKey, onProgress: () => undefined })
      expect({ lost: done.lost.count, damaged: done.damaged }).toEqual({ lost: 0, damaged: [] })
      return keys.join()
    },
    importFrom: (name: string, config: Config, key: string | undefined, email?: string) =>
      importAccount(config, { file: file(name), email, readKey: async () => key }),
    rowsIn: (name: string, config: Config, key: string) =>
      comparableRows(file(name), config.database, MasterKey.parse(key) as MasterKey),
  }
}

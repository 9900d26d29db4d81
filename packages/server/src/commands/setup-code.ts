import { newCode } from '../areas/account/first-run/setup-code.js'
import { setupCodeStore } from '../areas/account/first-run/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { withExistingDatabase } from './with-database.js'

/**
 * `svc setup-code`: replaces the code with which the console creates the first account. Servers on the database accept it at once.
 * @returns the code, such as 7KQF-M2XA
 * @throws ApiError `forbidden` if there is an account
 */
export const replaceSetupCode = (config: DatabaseConfig): Promise<string> =>
  withExistingDatabase(config, async (db) => {
    const { code, hash } = newCode()
    await setupCodeStore(db).replace(hash)
    return code
  })

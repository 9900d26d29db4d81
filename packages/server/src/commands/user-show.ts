import { userToJson } from '../areas/account/accounts/presenter.js'
import { lastUseOf } from '../areas/account/last-use/store.js'
import { usageStore as fileUsage } from '../areas/files/storage/usage-store.js'
import { usageStore as packageUsage } from '../areas/packages/storage/usage-store.js'
import { readUse as siteUse } from '../areas/sites/versions/use-store.js'
import type { Config } from '../config/config.js'
import { countAccountRows } from '../app/account-rows-store.js'
import { timestamp } from '../shared/timestamp.js'
import { limitOf, type LimitName } from '../shared/account-limits.js'
import { withAccount } from './accounts.js'
import { limitsStore } from './limits-store.js'
import { zonesOf, zoneToJson } from './dns-zones.js'

type ShowConfig = Pick<Config, 'database' | 'files' | 'sites' | 'packages'>

/** `svc user show`: an account, with what it has and uses. Storage is in bytes; null stands for an unlimited value. */
export const showUser = (config: ShowConfig, email: string) =>
  withAccount(config.database, email, async (account, db) => {
    const { files, sites, packages } = config
    const storage = (bytes: number, name: LimitName, setting: number) => {
      const max = limitOf(account, name, setting)
      return { bytes, max: max === 0 ? null : max }
    }
    const { plan } = await limitsStore(db).of(account.id)
    const lastUse = await lastUseOf(db, account.id)
    return {
      ...userToJson(account),
      state: account.state,
      plan,
      limits: account.limits,
      last_used_at: lastUse === null ? null : timestamp(lastUse),
      storage: {
        files: storage((await fileUsage(db).of(account)).bytes, 'files_bytes', files.bytesMax),
        sites: storage(await siteUse(db, account.id), 'sites_bytes', sites.bytesMax),
        packages: storage((await packageUsage(db).of(account)).bytes, 'packages_bytes', packages.bytesMax),
      },
      zones: (await zonesOf(db, account)).map(zoneToJson),
      rows: Object.fromEntries(await countAccountRows(db, account.id)),
    }
  })

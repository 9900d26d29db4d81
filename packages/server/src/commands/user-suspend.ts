import { publishStored } from '../areas/dns/publishing/stored-zone.js'
import { commandZoneLock } from '../areas/dns/publishing/zone-lock.js'
import { zoneStore } from '../areas/dns/publishing/zone-store.js'
import type { Config } from '../config/config.js'
import type { Database } from '../db/port.js'
import type { Account } from '../shared/account.js'
import type { AccountState } from '../shared/account-state.js'
import { OperatorError } from '../shared/operator-error.js'
import { actingBy, withAccount } from './accounts.js'
import { accountStateStore } from './account-state-store.js'
import { withProvider } from './with-provider.js'

type StateConfig = Pick<Config, 'database' | 'dns'>

/**
 * `svc user suspend`: refuses all requests of an account from the next one on, in every process. What it has stays, and so do its claims.
 * @param stopsServing whether its zones, sites, links and downloads are not served any more either
 * @throws OperatorError for an account that is being deleted
 */
export const suspendUser = (config: StateConfig, email: string, stopsServing: boolean): Promise<Account> =>
  changeState(config, email, stopsServing ? 'stopped' : 'suspended', 'svc user suspend')

/** `svc user resume`: ends a suspension. Sessions and tokens from before work again. @throws as `suspendUser` */
export const resumeUser = (config: StateConfig, email: string): Promise<Account> =>
  changeState(config, email, 'active', 'svc user resume')

const changeState = (
  config: StateConfig,
  email: string,
  state: Exclude<AccountState, 'deleted'>,
  command: string,
): Promise<Account> =>
  withAccount(config.database, email, async (account, db) => {
    const before = await accountStateStore(db).change(actingBy(account, command), state)
    if (before === undefined || before === 'deleted')
      throw new OperatorError(`The account ${email} has been deleted: a server removes what it had.`)
    await publishZones(config, db, account)
    return account
  })

/**
 * Publishes the zones of an account at an external provider, or removes them there. No-op for the embedded nameserver, which follows the
 * database. Also without a change of the state: the command can be repeated after a failure of the provider.
 * @throws ApiError `upstream_error`
 */
const publishZones = (config: StateConfig, db: Database, { id }: Account): Promise<void> =>
  withProvider(config.dns, db, async (provider) => {
    if (provider === undefined) return
    const zones = zoneStore(db)
    const withZoneLock = commandZoneLock(db.withLock)
    for (const zone of await accountStateStore(db).zones(id))
      await withZoneLock(zone, () => publishStored(zones, provider, zone))
  })

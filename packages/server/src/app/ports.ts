import type { Logger } from 'pino'
import { installationId } from '../areas/dns/publishing/installation-store.js'
import { logRestoreFailed } from '../areas/dns/publishing/restore-failed.js'
import { selectFollower } from '../areas/dns/publishing/select.js'
import { zoneStore } from '../areas/dns/zones/store.js'
import type { Config } from '../config.js'
import { connect } from '../db/connect.js'
import type { Database } from '../db/port.js'
import { bundledCountries, mmdbCountries } from '../ports/country/mmdb-countries.js'
import { selectDns } from '../ports/dns/select.js'
import { LiveRates } from '../ports/rates/live-rates.js'
import { networkResolver } from '../ports/resolver/network-resolver.js'

export type Ports = Awaited<ReturnType<typeof openPorts>>

/** Opens the ports: what the areas need from outside, as configured. */
export async function openPorts(config: Config, log: Logger) {
  // First, so that an invalid country database ends the start before anything else is open.
  const countries = mmdbCountries(config.geoDb ?? bundledCountries(), (error) => {
    log.warn(
      { err: error },
      'the country database is damaged: countries are null until it is replaced and svc is restarted',
    )
  })
  const connectionLost = (error: Error) => {
    log.warn({ err: error }, 'database connection lost')
  }
  // Throw it uncaught: it is logged as fatal and ends the process, so that a supervisor restarts it.
  const databaseLost = (error: Error) => {
    throw error
  }
  const database = await connect(config.database, connectionLost, databaseLost)
  try {
    return {
      database,
      countries,
      rates: new LiveRates({ url: config.fxUrl, db: database, log }),
      resolver: networkResolver({ servers: config.dns.resolvers }),
      ...(await openZones(config, database, log)),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The nameserver or provider, and the follower that loads the changes of other processes on the same database. */
async function openZones(config: Config, database: Database, log: Logger) {
  const zones = zoneStore(database)
  // Read the version before the zones: the follower loads again what changes in between.
  const version = await zones.newestVersion()
  const dns = await selectDns(config.dns, { log, installation: await installationId(database), zones: zones.all() })
  const follower = selectFollower(dns, zones, version, (error) => {
    log.error({ err: error }, 'zones could not be followed')
  })
  return { dns, follower, restoreFailed: logRestoreFailed(log) }
}

import type { DatabaseKind, TestApp } from './app.js'
import { startSite, type Site } from './site.js'
import { ownerOn, zoneClient, type Owner, type ZoneClient } from './zone-owner.js'

/** Two servers on one database, and an account that changes its zones through either. */
export interface TwoServers {
  readonly site: Site
  readonly other: TestApp
  readonly owner: Owner
  /** A zone of the account, through one of the servers. */
  readonly through: (server: TestApp, zone: string) => ZoneClient
  readonly stop: () => Promise<void>
}

export async function startTwoServers(kind: DatabaseKind): Promise<TwoServers> {
  const site = await startSite(kind)
  const other = await site.another()
  const owner = await ownerOn(site)
  return {
    site,
    other,
    owner,
    through: (server, zone) =>
      zoneClient(server, (method, path, body) => server.call(method, path, { token: owner.token, body }), zone),
    stop: async () => {
      await other.stop()
      await site.stop()
    },
  }
}

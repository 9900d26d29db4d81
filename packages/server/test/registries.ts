import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { openSqliteDatabase } from '../src/db/sqlite/sqlite.js'
import type { LiveRegistries } from '../src/ports/registry/live-registries.js'
import { openRegistries, type OpenRegistriesOptions } from '../src/ports/registry/open-registries.js'
import { startRdap, startWhois, type RdapServer, type WhoisServer } from './registry-servers.js'

/** The real registries port on a SQLite database, with an RDAP and a WHOIS server on 127.0.0.1. */
export interface TestRegistries {
  readonly registries: LiveRegistries
  readonly rdap: RdapServer
  readonly whois: WhoisServer
  readonly warn: ReturnType<typeof vi.fn>
  readonly stop: () => Promise<void>
}

/**
 * Starts both servers. By default they are those that the operator has named, and all names have the address 127.0.0.1.
 * @param optionsOf further options; `rdapUrl: undefined` for the servers of IANA's list
 */
export async function startRegistries(
  optionsOf: (servers: { rdap: RdapServer; whois: WhoisServer }) => Partial<OpenRegistriesOptions> = () => ({}),
): Promise<TestRegistries> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-registries-'))
  const db = await openSqliteDatabase(join(folder, 'svc.db'))
  const [rdap, whois] = await Promise.all([startRdap(), startWhois()])
  const warn = vi.fn()
  const registries = openRegistries({
    ...{ db, log: { warn }, allowed: [], rdapUrl: rdap.url, whois: whois.host },
    addressesOf: () => Promise.resolve(['127.0.0.1']),
    ...optionsOf({ rdap, whois }),
  })
  return {
    ...{ registries, rdap, whois, warn },
    stop: async () => {
      await registries.close()
      await Promise.all([rdap.stop(), whois.stop()])
      await db.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export const portOf = (host: string): number => Number(host.slice(host.lastIndexOf(':') + 1))

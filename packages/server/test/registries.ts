import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { Database } from '../src/db/port.js'
import { openSqliteDatabase } from '../src/db/sqlite/sqlite.js'
import type { LiveRegistries } from '../src/ports/registry/live-registries.js'
import { openRegistries, type OpenRegistriesOptions } from '../src/ports/registry/open-registries.js'
import { registrationStore } from '../src/ports/registry/registration-store.js'
import { startRdap, startWhois, type RdapServer, type WhoisServer } from './registry-servers.js'

/** The real registries port on a SQLite database, with an RDAP and a WHOIS server on 127.0.0.1. */
export interface TestRegistries {
  readonly registries: LiveRegistries
  readonly rdap: RdapServer
  readonly whois: WhoisServer
  readonly warn: ReturnType<typeof vi.fn>
  readonly stop: () => Promise<void>
}

/** A SQLite database that the tests of a file share. */
export interface TestDatabase {
  readonly db: Database
  /** Forgets all answers. */
  readonly clear: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-registries-'))
  const db = await openSqliteDatabase(join(folder, 'svc.db'))
  return {
    db,
    clear: async () => {
      await registrationStore(db).removeOld(Number.MAX_SAFE_INTEGER)
    },
    close: async () => {
      await db.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Starts both servers. By default they are those that the operator has named, and all names have the address 127.0.0.1.
 * @param optionsOf further options; `rdapUrl: undefined` for the servers of IANA's list
 */
export async function startRegistries(
  db: Database,
  optionsOf: (servers: { rdap: RdapServer; whois: WhoisServer }) => Partial<OpenRegistriesOptions> = () => ({}),
): Promise<TestRegistries> {
  const [rdap, whois] = await Promise.all([startRdap(), startWhois()])
  const warn = vi.fn()
  const registries = openRegistries({
    db,
    log: { warn },
    allowed: [],
    rdapUrl: rdap.url,
    whois: whois.host,
    addressesOf: () => Promise.resolve(['127.0.0.1']),
    ...optionsOf({ rdap, whois }),
  })
  return {
    registries,
    rdap,
    whois,
    warn,
    stop: async () => {
      await registries.close()
      await Promise.all([rdap.stop(), whois.stop()])
    },
  }
}

export const portOf = (host: string): number => Number(host.slice(host.lastIndexOf(':') + 1))

import { countChanges } from '../db/change-clock-store.js'
import type { Database } from '../db/port.js'
import { namesKeyOf } from '../ports/certificates/acme/certificate-row-store.js'
import type { CertificateStore } from '../ports/certificates/acme/certificate-store.js'
import { syncWantedCertificates } from './wanted-certificates-store.js'

/**
 * How often wanted certificates are compared without a noted change, in milliseconds: an account that is stopped, and a wildcard whose
 * order fails, note none.
 */
const atLeastEveryMs = 15_000

interface Dependencies {
  readonly database: Database
  readonly store: Pick<CertificateStore, 'want'>
  /** Those of the server itself: the names of each. */
  readonly ofServer: readonly (readonly string[])[]
}

/** @returns a function that stores which certificates are wanted, if that may have changed since its last call */
export function wantedSync({ database, store, ofServer }: Dependencies): () => Promise<void> {
  const keys = ofServer.map(namesKeyOf)
  let seen: number | undefined
  let syncedAt = -Infinity
  return async () => {
    const startedAt = performance.now()
    const changes = await countChanges(database, 'wanted-certificates')
    if (changes === seen && startedAt - syncedAt < atLeastEveryMs) return
    await store.want(keys, Date.now())
    await syncWantedCertificates(database)
    seen = changes
    syncedAt = startedAt
  }
}

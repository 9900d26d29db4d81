import type { RefreshOptions, Registries, RegistryAnswer } from '../../../ports/registry/port.js'
import type { RefreshStore } from './refresh-store.js'
import { nextNight } from './schedule.js'

interface SyncDependencies {
  readonly registries: Registries
  readonly refreshes: RefreshStore
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export interface Sync {
  /** Asks the registry now, unless the cached answer is young enough. @throws RegistryError; then nothing has changed */
  readonly refresh: (name: string, options?: RefreshOptions) => Promise<RegistryAnswer>
  /** Asks the registry unless an answer of the last day is cached. @throws RegistryError; then nothing has changed */
  readonly lookUp: (name: string) => Promise<RegistryAnswer>
}

/** Asks registries, and saves their answers for all accounts that have the domain. Concurrent calls share one look-up. */
export function registrySync({ registries, refreshes, now }: SyncDependencies): Sync {
  return {
    refresh: async (name, options) => save(name, await registries.refresh(name, options)),
    lookUp: async (name) => save(name, await registries.lookUp(name)),
  }

  /** An unregistered domain keeps the data of its last registration. */
  async function save(name: string, answer: RegistryAnswer): Promise<RegistryAnswer> {
    const dueAt = nextNight(name, now())
    if (answer.registration === undefined) await refreshes.schedule(name, 0, dueAt)
    else {
      const { registrar, createdAt, expiresAt, nameservers, statuses } = answer.registration
      await refreshes.save(name, { registrar, createdAt, expiresAt, nameservers, statuses }, answer.fetchedAt, dueAt)
    }
    return answer
  }
}

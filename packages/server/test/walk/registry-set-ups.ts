import type { Registration } from '../../src/ports/registry/port.js'
import { registrationStore } from '../../src/ports/registry/registration-store.js'
import type { Scene } from './scene.js'
import type { SetUp } from './set-up.js'

const day = 24 * 60 * 60 * 1000

/** Stores the answer of a registry, so that no look-up is needed. @param data undefined for an unregistered domain */
export async function storeRegistration(
  { app }: Pick<Scene, 'app'>,
  domain: string,
  data?: Partial<Registration>,
): Promise<void> {
  const store = registrationStore(app.database)
  const now = Date.now()
  const registration = data && {
    ...{ domain, registrar: 'Example Registrar, Inc.', createdAt: now - 9 * day, updatedAt: null },
    ...{ expiresAt: now + 90 * day, nameservers: ['ns1.example.net'], statuses: ['ok'], dnssec: false },
    ...{ source: 'rdap' as const, raw: null, ...data },
  }
  await store.claim(domain, { now, until: now }, await store.find(domain))
  await store.save(domain, registration, { fetchedAt: now, freshUntil: now + day, removeAfter: now + 2 * day })
}

export const registrySetUps: Readonly<Record<string, SetUp>> = {
  'whois.lookup': {
    works: async (scene) => {
      await storeRegistration(scene, 'example.com', {})
      return {}
    },
    missing: async (scene) => {
      await storeRegistration(scene, 'unregistered.example')
      return { query: { domain: 'unregistered.example' } }
    },
    rules: /^domain must be (an|the) apex domain/,
  },
}

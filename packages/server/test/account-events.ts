import { expect } from 'vitest'
import { tokenStore } from '../src/areas/account/tokens/store.js'
import type { Account } from '../src/shared/account.js'
import type { Site } from './site.js'

/** An event as `GET /v1/account/events` shows it. */
export interface AccountEvent {
  readonly id: number
  readonly area: string
  readonly action: string
  readonly object: string
  readonly actor: { readonly kind: string; readonly name: string; readonly id: number | null }
  readonly network: string | null
  readonly request_id: string | null
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

/** Reads the events of an account with a token of its own. */
export async function eventReader(site: Site, account: Account) {
  const { token } = await tokenStore(site.app.database).create(account, 'reader', ['account:read'])
  const all = async (query = ''): Promise<AccountEvent[]> => {
    const { status, body, text } = await site.call('GET', `/v1/account/events${query}`, { token })
    expect(status, text).toBe(200)
    return body['data'].events
  }
  let seen = 0
  const fresh = async (): Promise<AccountEvent[]> => {
    const events = (await all('?limit=100')).filter(({ id }) => id > seen)
    seen = events[0]?.id ?? seen
    return events.toReversed()
  }
  await fresh()
  return {
    all,
    /** Those since the last call, the oldest first. */
    fresh,
    /** The same, without what does not matter to most tests. */
    actions: async () =>
      (await fresh()).map(({ action, object, before, after }) => ({ action, object, before, after })),
  }
}

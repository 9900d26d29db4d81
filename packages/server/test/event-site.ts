import { expect } from 'vitest'
import type { Config } from '../src/config/config.js'
import { unlimited } from '../src/areas/account/tokens/limits.js'
import { tokenStore } from '../src/areas/account/tokens/store.js'
import type { Account } from '../src/shared/account.js'
import type { Rules } from '../src/shared/rules.js'
import type { Answer, DatabaseKind, Envelope } from './app.js'
import { startSite, type Site } from './site.js'

/** An event in the answer of `GET /v1/account/events`. */
export interface ShownEvent {
  readonly id: number
  readonly area: string
  readonly action: string
  readonly object: string
  readonly request_id: string | null
}

/** A request, with the events that it wrote. */
interface Acted {
  readonly status: number
  readonly data: Envelope
  readonly requestId: string
  /** The oldest first. */
  readonly events: readonly ShownEvent[]
}

/** What a test expects of an event. */
interface ExpectedEvent {
  readonly area: string
  readonly action: string
  readonly object: string
  readonly before?: object
  readonly after?: object
}

/** A server with an account that acts with the token `worker`, or in its browser. */
export interface EventSite extends Site {
  readonly ada: Account
  /** Sends a request with the worker's token. */
  readonly act: (method: string, path: string, body?: unknown) => Promise<Acted>
  /** The same in the console. @param path below /console/api */
  readonly actInConsole: (method: string, path: string, body?: unknown) => Promise<Acted>
  /** Expects that a token with these rules sees events of the area, all of them of one object. */
  readonly expectOnly: (area: string, object: string, rules: Rules) => Promise<void>
  /** Expects that the events of the area are in no list of another account. */
  readonly expectHidden: (area: string) => Promise<void>
}

/** Starts a server for the tests of the events of an area. */
export async function startEventSite(kind: DatabaseKind, overrides: Partial<Config> = {}): Promise<EventSite> {
  const site = await startSite(kind, overrides)
  const ada = await site.account('ada@example.com')
  const tokens = tokenStore(site.app.database)
  const { token: worker } = await tokens.create(ada, 'worker', ['*'], unlimited)
  const browser = await site.browser(ada.email)

  async function list(token: string, query = ''): Promise<readonly ShownEvent[]> {
    const { status, body, text } = await site.call('GET', `/v1/account/events${query}`, { token })
    expect(status, text).toBe(200)
    return (body['data'] as { events: ShownEvent[] }).events
  }

  async function acted(send: () => Promise<Answer>): Promise<Acted> {
    const [latest] = await list(worker, '?limit=1')
    const { status, body, headers } = await send()
    const events = (await list(worker)).filter(({ id }) => id > (latest?.id ?? 0)).toReversed()
    return { status, data: body['data'] as Envelope, requestId: headers.get('x-request-id') ?? '', events }
  }

  const options = (body: unknown) => (body === undefined ? {} : { body })
  return {
    ...site,
    ada,
    act: (method, path, body) => acted(() => site.call(method, path, { token: worker, ...options(body) })),
    actInConsole: (method, path, body) => acted(() => browser.call(method, path, options(body))),
    async expectOnly(area, object, rules) {
      const { token } = await tokens.create(ada, `rules ${area}`, ['account:read'], { ...unlimited, rules })
      const objects = (await list(token, `?area=${area}`)).map((event) => event.object)
      expect(new Set(objects)).toEqual(new Set([object]))
      expect((await list(worker, `?area=${area}`)).some((event) => event.object !== object)).toBe(true)
    },
    async expectHidden(area) {
      expect(await list(worker, `?area=${area}`)).not.toEqual([])
      const token = await site.token(await site.account(`another-${area}@example.com`), '*')
      expect(await list(token, `?area=${area}`)).toEqual([])
    },
  }
}

/** Expects that a request succeeded and wrote exactly one event of the area, with all of its fields. @returns the data of the answer */
export function expectEvent(
  { status, data, requestId, events }: Acted,
  event: ExpectedEvent,
  kind: 'token' | 'session' = 'token',
): Envelope {
  const actor =
    kind === 'token' ? { kind, name: 'worker', id: expect.any(Number) } : { kind, name: 'console', id: null }
  expect(status).toBe(200)
  expect(events.filter(({ area }) => area === event.area)).toEqual([
    {
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      actor,
      network: '127.0.0.0/24',
      request_id: requestId,
      before: null,
      after: null,
      ...event,
    },
  ])
  return data
}

/** Expects that a request succeeded or not, and wrote no event. */
export function expectNoEvent({ status, events }: Acted, wanted: number): void {
  expect({ status, events }).toEqual({ status: wanted, events: [] })
}

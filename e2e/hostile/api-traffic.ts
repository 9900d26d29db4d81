import { expect } from 'vitest'
import type { Place } from '../../packages/cli/test/svc.js'
import { accountToken } from '../account-token.js'

/** Clients of a server that is being mistreated: what they were told, and how long it took. */

export interface Outcome {
  /** 0 where the connection broke, or nothing came within 30 seconds. */
  readonly status: number
  readonly body: Record<string, unknown>
  readonly ms: number
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Outcome>

/** Makes an account and a token in the database of that place. @returns its calls to the server at that URL */
export async function client(place: Place, email = 'ada@example.com'): Promise<(url: string) => Call> {
  const token = await accountToken(place, email, '*')
  return (url) => async (method, path, body) => {
    const from = performance.now()
    const outcome = (status: number, answer: unknown) => ({
      status,
      body: answer as Outcome['body'],
      ms: performance.now() - from,
    })
    try {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return outcome(response.status, await response.json())
    } catch (error) {
      return outcome(0, { error: String(error) })
    }
  }
}

/** Holds that a call succeeded, or failed with the envelope of a fault of the server. */
export function expectAnswered({ status, body }: Outcome): void {
  if (status === 200) return
  expect({ status, ...body }).toEqual({
    status: 500,
    success: false,
    error: 'internal_error',
    message: expect.any(String),
    request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/),
  })
}

/** Eight clients that write and eight that read, each one call after another until they are stopped. */
export function traffic(call: Call, zone: string, name: string) {
  const acknowledged = new Set<string>()
  const outcomes: Outcome[] = []
  let stopped = false
  /** When each client last got a 200, by its name. */
  const lastSuccess = new Map<string, number>()

  async function repeat(client: string, next: (i: number) => Promise<Outcome>): Promise<void> {
    lastSuccess.set(client, 0)
    for (let i = 0; !stopped && outcomes.at(-1)?.status !== 0; i++) {
      const outcome = await next(i)
      outcomes.push(outcome)
      if (outcome.status === 200) lastSuccess.set(client, performance.now())
    }
  }

  async function write(host: string): Promise<Outcome> {
    const outcome = await call('POST', `/v1/dns/zones/${zone}/records`, { type: 'A', host, value: '192.0.2.1' })
    if (outcome.status === 200) acknowledged.add(host)
    return outcome
  }

  const clients = Array.from({ length: 8 }, (_, c) => [
    repeat(`writer ${c}`, (i) => write(`${name}-${c}-${i}`)),
    repeat(`reader ${c}`, (i) => call('GET', i % 2 === 0 ? '/v1/account/me' : `/v1/dns/zones/${zone}/records/1`)),
  ]).flat()
  return {
    acknowledged,
    outcomes,
    /** Whether every client has succeeded since a time on the clock of `performance.now()`. */
    allSucceededSince: (since: number) => [...lastSuccess.values()].every((at) => at > since),
    stop: async () => {
      stopped = true
      await Promise.all(clients)
    },
  }
}

export async function hostsOf(call: Call, zone: string): Promise<Set<string>> {
  const { body } = await call('GET', `/v1/dns/zones/${zone}/records`)
  const { records } = body['data'] as { records: { host: string }[] }
  return new Set(records.map(({ host }) => host))
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Place } from '../../packages/cli/test/svc.js'
import { accountToken } from '../account-token.js'

/** API clients for tests that make a server fail. They record each outcome and its duration. */

export interface Outcome {
  /** 0 if the connection broke, or no answer arrived within 30 seconds. */
  readonly status: number
  readonly body: Record<string, unknown>
  readonly ms: number
}

/** Between two calls of a client, in milliseconds. Without pauses, the clients would use all of the processor. */
const pauseMs = 10

export type Call = (method: string, path: string, body?: unknown) => Promise<Outcome>

/** Creates an account and a token in the database of the place. @returns a client for the server at a URL */
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

/** Checks that a call succeeded, or failed with 500 internal_error. */
export function expectSuccessOr500({ status, body }: Outcome): void {
  if (status === 200) return
  expect({ status, ...body }).toEqual({
    status: 500,
    success: false,
    error: 'internal_error',
    message: expect.any(String),
    request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/),
  })
}

/** Eight writing and eight reading clients. Each sends one call after another until `stop`, with short pauses. */
export function traffic(call: Call, zone: string, name: string) {
  const acknowledged = new Set<string>()
  const outcomes: Outcome[] = []
  let stopped = false
  /** The time of each client's last 200, by client name. */
  const lastSuccess = new Map<string, number>()

  async function repeat(client: string, next: (i: number) => Promise<Outcome>): Promise<void> {
    lastSuccess.set(client, 0)
    for (let i = 0; !stopped && outcomes.at(-1)?.status !== 0; i++) {
      const outcome = await next(i)
      outcomes.push(outcome)
      if (outcome.status === 200) lastSuccess.set(client, performance.now())
      await sleep(pauseMs)
    }
  }

  async function write(host: string): Promise<Outcome> {
    const outcome = await call('POST', `/v1/dns/zones/${zone}/records`, { type: 'A', host, value: '192.0.2.1' })
    if (outcome.status === 200) acknowledged.add(host)
    return outcome
  }

  const clients = Array.from({ length: 8 }, (_, c) => [
    repeat(`writer ${c}`, (i) => write(`${name}-${c}-${i}`)),
    repeat(`reader ${c}`, (i) => call('GET', i % 2 === 0 ? '/v1/account/me' : `/v1/dns/zones/${zone}`)),
  ]).flat()
  return {
    acknowledged,
    outcomes,
    /** Whether every client has had a 200 since this time of `performance.now()`. */
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

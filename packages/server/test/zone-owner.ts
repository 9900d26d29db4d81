import { expect } from 'vitest'
import type { TokenScope } from '@svc/contract'
import type { Account } from '../src/shared/account.js'
import type { Answer, Envelope, TestApp } from './app.js'
import { ask } from './dns-ask.js'

/** An account that changes zones through the API and queries the nameserver for the result. */
export interface Owner {
  readonly account: Account
  readonly token: string
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Claims a zone, by default a new one. */
  readonly claim: (zone?: string) => Promise<ZoneClient>
}

export interface ZoneClient {
  readonly zone: string
  /** `/v1/dns/zones/<zone>/records` */
  readonly path: string
  readonly create: (body: unknown) => Promise<Answer>
  /** Creates a record and expects success. @returns the record in the answer */
  readonly add: (body: unknown) => Promise<Envelope>
  readonly get: (id: unknown) => Promise<Answer>
  readonly update: (id: unknown, body: unknown) => Promise<Answer>
  readonly remove: (id: unknown) => Promise<Answer>
  /** @param more the other fields of the body */
  readonly batch: (changes: unknown, more?: object) => Promise<Answer>
  readonly list: (query?: string) => Promise<Answer>
  /** The nameserver's records for a name: `<ttl> <priority, if any> <value>`, sorted. */
  readonly served: (host: string, type: string) => Promise<string[]>
  /** The serial of the served SOA record. */
  readonly serial: () => Promise<number>
}

let owners = 0
let zones = 0

export async function ownerOn(app: TestApp, ...scopes: TokenScope[]): Promise<Owner> {
  const account = await app.account(`owner${++owners}@example.com`)
  const token = await app.token(account, ...(scopes.length > 0 ? scopes : (['dns:write'] as const)))
  const call: Owner['call'] = (method, path, body) => app.call(method, path, { token, body })
  return {
    account,
    token,
    call,
    claim: async (zone = `zone${++zones}.example`) => {
      expect((await call('POST', '/v1/dns/zones', { zone })).status).toBe(200)
      return zoneClient(app, call, zone)
    },
  }
}

/** The record in the answer to its creation or change, as a list shows it, with `ttl_changed`. */
export function written({ body }: Answer): Envelope {
  const { rrset, warnings, ...record } = body['data'] as Envelope
  expect([rrset, warnings]).toEqual([expect.objectContaining({ host: record['host'] }), expect.any(Array)])
  return record
}

/** @param app the server to query by DNS */
export function zoneClient(app: Pick<TestApp, 'dnsPort'>, call: Owner['call'], zone: string): ZoneClient {
  const path = `/v1/dns/zones/${zone}/records`
  const create = (body: unknown) => call('POST', path, body)
  return {
    zone,
    path,
    create,
    add: async (body) => {
      const answer = await create(body)
      expect(answer.status, answer.text).toBe(200)
      return written(answer)
    },
    get: (id) => call('GET', `${path}/${String(id)}`),
    update: (id, body) => call('PATCH', `${path}/${String(id)}`, body),
    remove: (id) => call('DELETE', `${path}/${String(id)}`),
    batch: (changes, more = {}) => call('POST', `${path}/batch`, { changes, ...more }),
    list: (query = '') => call('GET', `${path}${query}`),
    served: async (host, type) => {
      // TCP has no size limit. The nameserver answers UDP and TCP from the same data.
      const reply = await ask(app.dnsPort, host === '@' ? zone : `${host}.${zone}`, type, { tcp: true })
      // The answer to a delegation is a referral, with the NS records in the authority section.
      return (reply.aa ? reply.answers : reply.authority).map(({ ttl, value }) => `${ttl} ${value}`).sort()
    },
    serial: async () => {
      const { answers } = await ask(app.dnsPort, zone, 'SOA')
      return Number(answers[0]?.value.split(' ')[2])
    },
  }
}

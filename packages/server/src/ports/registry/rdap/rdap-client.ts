import type { DomainRecord } from 'rdapper'
import { guardedFetch, type BoundedAnswer } from '../../bounded-fetch.js'
import type { Deadline } from '../../dns/deadline.js'
import { topLevelOf } from '../../dns/domain-names.js'
import type { GuardedConnections } from '../../outbound/guarded-connections.js'
import { TargetError } from '../../outbound/port.js'
import {
  lateAnswer,
  longAnswer,
  privateAddress,
  RegistryRateLimited,
  RegistryUnavailable,
  unreachable,
  unusableAnswer,
} from '../errors.js'
import type { RegistryQuestion } from '../live-registries.js'
import { RegistryError, type Registration } from '../port.js'
import { isRdapNotFound, readRdapDocument, withoutKnown, type RdapDocument } from './document.js'

/** Milliseconds for one request to the registry, and to a registrar: a slow registrar must not spoil the registry's answer. */
const registryMs = 7_000
const registrarMs = 3_000

/** The library waits this long after the deadline of the call. */
const afterDeadlineMs = 1_000

/** The usual answer has 5 kB, and long ones 50 kB. `JSON.parse` of 1 MB of nested arrays blocks the event loop for 100 ms, of this for 10. */
const maxBytes = 128 * 1024

export interface RdapQuestion extends RegistryQuestion {
  /** Of the registry: the second is asked if the first fails. */
  readonly baseUrls: readonly string[]
}

/** Asks one registry, and the registrars that it links to. @throws RegistryError */
export type AskRdap = (question: RdapQuestion) => Promise<Registration | undefined>

/** Asks with rdapper, which finds the registrar's document and merges both. */
export function rdapClient(connections: GuardedConnections): AskRdap {
  return async ({ domain, baseUrls, deadline, signal }) => {
    // At the first look-up: it has the Public Suffix List, which many servers never need in memory.
    const { lookup } = await import('rdapper')
    const requests = new RdapRequests(domain, deadline, connections)
    const { ok, record } = await lookup(domain, {
      rdapOnly: true,
      customBootstrapData: bootstrapOf(domain, baseUrls),
      customFetch: (url, init) => requests.send(String(url), init?.signal ?? undefined),
      // Later than the deadline of the requests, whose failure has the reason.
      deadlineMs: Math.ceil(deadline.remainingMs) + afterDeadlineMs,
      maxRdapLinkHops: 1,
      signal,
    })
    if (!ok || record === undefined) throw requests.failure ?? new RegistryError(unusableAnswer)
    return record.isRegistered ? registrationOf(domain, record) : undefined
  }
}

/** The library looks for the public suffix, and then for its last label. */
const bootstrapOf = (domain: string, baseUrls: readonly string[]) => ({
  version: '1.0',
  publication: '',
  services: [[[topLevelOf(domain)], [...baseUrls]]],
})

/** The requests of one look-up. */
class RdapRequests {
  /** Why the last request to the registry failed. */
  failure: RegistryError | undefined
  #registryDocument: RdapDocument | undefined

  constructor(
    private readonly domain: string,
    private readonly deadline: Deadline,
    private readonly connections: GuardedConnections,
  ) {}

  /** The fetch of the library: the first document is the registry's. */
  async send(url: string, signal: AbortSignal | undefined): Promise<Response> {
    const isRegistry = this.#registryDocument === undefined
    const limitMs = Math.min(this.deadline.remainingMs, isRegistry ? registryMs : registrarMs)
    const { status, text } = await guardedFetch(url, {
      connections: this.connections,
      accept: 'application/rdap+json, application/json',
      deadlineMs: Math.max(limitMs, 1),
      maxBytes,
      stop: signal,
    }).catch((error: unknown) => {
      if (isRegistry) this.failure = failureOf(error, limitMs === registryMs)
      throw error
    })
    if (isRegistry) return this.#readRegistryDocument({ status, text })
    const registrarDocument = status === 200 ? readRdapDocument(text, this.domain) : undefined
    return registrarDocument === undefined || this.#registryDocument === undefined
      ? new Response(null, { status: 502 })
      : Response.json(withoutKnown(registrarDocument, this.#registryDocument))
  }

  #readRegistryDocument({ status, text }: BoundedAnswer): Response {
    if (status === 404 && isRdapNotFound(text)) return new Response(null, { status })
    const document = status === 200 ? readRdapDocument(text, this.domain) : undefined
    if (document !== undefined) {
      this.#registryDocument = document
      return Response.json(document)
    }
    this.failure = status === 429 ? new RegistryRateLimited() : new RegistryError(unusableAnswer)
    return new Response(null, { status: 502 })
  }
}

/** @param hadTime whether the server had enough time: one that was asked shortly before the deadline of the call is not unavailable */
function failureOf(error: unknown, hadTime: boolean): RegistryError {
  if (error instanceof RangeError) return new RegistryError(longAnswer, { cause: error })
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new (hadTime ? RegistryUnavailable : RegistryError)(lateAnswer, { cause: error })
  return error instanceof TargetError
    ? new RegistryError(privateAddress, { cause: error })
    : new RegistryUnavailable(unreachable, { cause: error })
}

/** @throws RegistryError if the record says nothing */
function registrationOf(domain: string, record: DomainRecord): Registration {
  const registration: Registration = {
    domain,
    registrar: record.registrar?.name ?? null,
    createdAt: timeOf(record.creationDate),
    updatedAt: timeOf(record.updatedDate),
    expiresAt: timeOf(record.expirationDate),
    nameservers: [...new Set(record.nameservers?.map(({ host }) => host.toLowerCase().replace(/\.$/, '')))],
    statuses: [...new Set(record.statuses?.map(({ status }) => status))],
    dnssec: record.dnssec?.enabled ?? null,
    source: 'rdap',
    raw: null,
  }
  const { registrar, createdAt, expiresAt, nameservers, statuses } = registration
  if (registrar === null && createdAt === null && expiresAt === null && nameservers.length + statuses.length === 0)
    throw new RegistryError(unusableAnswer)
  return registration
}

function timeOf(iso: string | undefined): number | null {
  const time = iso === undefined ? NaN : Date.parse(iso)
  return Number.isNaN(time) ? null : time
}

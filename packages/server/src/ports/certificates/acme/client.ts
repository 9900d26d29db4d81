import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyObject } from 'node:crypto'
import { Deadline } from '../../dns/deadline.js'
import type { GuardedConnections } from '../../outbound/guarded-connections.js'
import { openAccount, type AccountTerms } from './account.js'
import { checkChain, type Chain } from './chain.js'
import { readDirectory, requireUrl, type Directory } from './directory.js'
import { AcmeError } from './errors.js'
import type { AccountKey } from './jws.js'
import {
  challengeFailed,
  fullNameOf,
  orderInvalid,
  readAuthorization,
  readOrder,
  type Authorization,
  type Challenge,
  type Order,
} from './order.js'
import { proofOf, type Proof, type ProofPublisher } from './proof.js'
import { readRenewalInfo, type RenewalInfo } from './renewal-info.js'
import { AcmeSession, type AcmeAnswer, type AcmeTime } from './session.js'
import { certificateRequest, renewalIdOf } from './x509.js'

export interface AcmeClientOptions extends AccountTerms {
  /** Of the CA: the operator has named it. */
  readonly directoryUrl: URL
  readonly accountKey: AccountKey
  /** With the origin of the directory as `trustedUrl`, because the CA may be in a private network. */
  readonly connections: Pick<GuardedConnections, 'request'>
}

export interface Ordered {
  /** DNS names in ASCII and lower case; a wildcard as `*.example.net`. */
  readonly names: readonly string[]
  /** The key of the certificate: ECDSA with P-256. */
  readonly key: KeyObject
  /** A profile of the CA, such as `shortlived`; undefined for its default. */
  readonly profile?: string | undefined
  /** In PEM, the certificate that the new one replaces: the CA then lifts its limits (RFC 9773, section 5). */
  readonly replaces?: string | undefined
  readonly proofs: ProofPublisher
}

/** Talks to one CA with one account (RFC 8555). Each call ends within its deadline, and throws the reason of its signal if that is aborted. */
export interface AcmeClient {
  /**
   * Orders a certificate, proves its names, and downloads and checks the chain. Alternate chains are ignored.
   * @throws AcmeError
   */
  readonly order: (order: Ordered, signal: AbortSignal) => Promise<Chain>
  /**
   * Asks when a certificate should be renewed (RFC 9773).
   * @param certificate in PEM
   * @returns undefined if the CA does not say it for this certificate
   * @throws AcmeError
   */
  readonly renewalInfo: (certificate: string, signal: AbortSignal) => Promise<RenewalInfo | undefined>
}

/** Milliseconds for a whole order, with the time in which the CA verifies and signs. */
const orderMs = 180_000
const renewalInfoMs = 30_000

/** @param deadlines in milliseconds; shorter ones in tests */
export function acmeClient(
  options: AcmeClientOptions,
  { order: orderDeadlineMs = orderMs, renewalInfo: renewalInfoDeadlineMs = renewalInfoMs } = {},
): AcmeClient {
  const { connections, accountKey, directoryUrl } = options
  const open = async (time: AcmeTime) => {
    const session = new AcmeSession(connections, accountKey)
    return { session, directory: readDirectory((await session.get(directoryUrl, time)).json) }
  }
  return {
    order: async (ordered, signal) => {
      const time = { deadline: Deadline.in(orderDeadlineMs), signal }
      const { session, directory } = await open(time)
      requireProfile(directory, ordered.profile)
      const kid = await openAccount(session, directory, options, time)
      const run = new OrderRun(accountKey, time, (url, payload, accept) =>
        session.post(url, payload, { time, signer: { kid }, newNonce: directory.newNonce, ...(accept && { accept }) }),
      )
      return run.certificateFor(ordered, directory)
    },

    renewalInfo: async (certificate, signal) => {
      const id = renewalIdOf(certificate)
      const time = { deadline: Deadline.in(renewalInfoDeadlineMs), signal }
      const { session, directory } = await open(time)
      if (id === undefined || directory.renewalInfo === undefined) return undefined
      const url = new URL(`${directory.renewalInfo.href.replace(/\/$/, '')}/${id}`)
      return readRenewalInfo(await session.get(url, time))
    },
  }
}

/** @throws AcmeError `settings` for a profile that the CA does not offer */
function requireProfile({ profiles }: Directory, profile: string | undefined): void {
  if (profile === undefined || profiles.includes(profile)) return
  const offered = profiles.length === 0 ? 'no profiles' : profiles.join(', ')
  throw new AcmeError('settings', `The CA has no profile ${profile}; it offers ${offered}.`)
}

/** A proof of another name could serve another order. @throws AcmeError `unusable_answer` */
function requireOrdered(authorization: Authorization, names: readonly string[]): void {
  const name = fullNameOf(authorization)
  if (!names.includes(name))
    throw new AcmeError('unusable_answer', `The CA wants a proof of ${name}, which was not ordered.`)
}

/** Sends a request that the account signs. */
type Post = (url: URL, payload?: object, accept?: string) => Promise<AcmeAnswer>

/** Milliseconds between looks at an object that the CA works on. */
const firstWaitMs = 100
const waitMaxMs = 5_000
/** The longest `Retry-After` that counts while an order is under way. */
const retryAfterMaxMs = 60_000

/** How many looks in a row may fail because the CA is unavailable: its work continues. */
const failedLooksMax = 3

const isDone = ({ status }: Order): boolean => status === 'valid' || status === 'invalid'

/** One order on its way (RFC 8555, section 7.4). */
class OrderRun {
  constructor(
    private readonly accountKey: AccountKey,
    private readonly time: AcmeTime,
    private readonly post: Post,
  ) {}

  async certificateFor({ names, key, profile, replaces, proofs }: Ordered, directory: Directory): Promise<Chain> {
    const { url, order } = await this.#create(names, { profile, replaces }, directory)
    if (order.status === 'pending') await this.#prove(order, names, proofs)
    let current = await this.#poll(url, readOrder, ({ status }) => status !== 'pending')
    if (current.status === 'ready') {
      const csr = certificateRequest(names, key).toString('base64url')
      current = readOrder((await this.post(current.finalize, { csr })).json)
    }
    if (!isDone(current)) current = await this.#poll(url, readOrder, isDone)
    if (current.status === 'invalid') throw orderInvalid(current)
    const download = requireUrl('certificate', current.certificate?.href)
    const { text } = await this.post(download, undefined, 'application/pem-certificate-chain')
    return checkChain(text, key, names, Date.now())
  }

  async #create(
    names: readonly string[],
    { profile, replaces }: Pick<Ordered, 'profile' | 'replaces'>,
    { newOrder, renewalInfo }: Directory,
  ): Promise<{ url: URL; order: Order }> {
    const identifiers = names.map((value) => ({ type: 'dns', value }))
    const payload = { identifiers, ...(profile !== undefined && { profile }) }
    const replaced = renewalInfo === undefined || replaces === undefined ? undefined : renewalIdOf(replaces)
    const send = (more: object) => this.post(newOrder, { ...payload, ...more })
    const { headers, json } = await send(replaced === undefined ? {} : { replaces: replaced }).catch(
      (error: unknown) => {
        // Another order has replaced the certificate, or the CA does not know it, such as after a change of the CA.
        if (replaced === undefined || !(error instanceof AcmeError) || error.failure !== 'refused') throw error
        return send({})
      },
    )
    return { url: requireUrl('Location', headers.location), order: readOrder(json) }
  }

  /** Proves all names of an order. */
  async #prove({ authorizations }: Order, names: readonly string[], publisher: ProofPublisher): Promise<void> {
    const pending = []
    // One after another: a CA limits the requests that are under way.
    for (const url of authorizations) {
      const authorization = readAuthorization((await this.post(url)).json)
      requireOrdered(authorization, names)
      if (authorization.status === 'pending')
        pending.push({ url, authorization, ...(await this.#choose(authorization, publisher)) })
      else if (authorization.status !== 'valid') throw challengeFailed(authorization)
    }
    const proofs = pending.map(({ proof }) => proof)
    try {
      await publisher.publish(proofs, this.time.signal)
      for (const { challenge } of pending) await this.post(challenge.url, {})
      for (const { url } of pending) {
        const authorization = await this.#poll(url, readAuthorization, ({ status }) => status !== 'pending')
        if (authorization.status !== 'valid') throw challengeFailed(authorization)
      }
    } finally {
      await publisher.withdraw(proofs)
    }
  }

  async #choose(
    authorization: Authorization,
    publisher: ProofPublisher,
  ): Promise<{ challenge: Challenge; proof: Proof }> {
    const { name, isWildcard, challenges } = authorization
    const possible = await publisher.typesFor(name, isWildcard)
    const challenge = possible.flatMap((type) => challenges.find((offered) => offered.type === type) ?? [])[0]
    if (challenge !== undefined)
      return { challenge, proof: proofOf(challenge.type, name, challenge.token, this.accountKey) }
    const offered = challenges.map(({ type }) => type).join(', ') || 'none that svc knows'
    throw new AcmeError(
      'no_challenge',
      `No challenge of the CA fits ${fullNameOf(authorization)}: it offers ${offered}; possible here are ${possible.join(', ') || 'none'}.`,
    )
  }

  /** Reads an object until the CA has worked on it. */
  async #poll<T>(
    url: URL,
    read: (json: Readonly<Record<string, unknown>>) => T,
    isReached: (object: T) => boolean,
  ): Promise<T> {
    const { deadline, signal } = this.time
    let failedLooks = 0
    for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, waitMaxMs)) {
      const answer = await this.post(url).catch((error: unknown) => {
        if (!(error instanceof AcmeError) || error.failure !== 'unavailable' || ++failedLooks > failedLooksMax)
          throw error
        return undefined
      })
      if (answer !== undefined) {
        failedLooks = 0
        const object = read(answer.json)
        if (isReached(object)) return object
      }
      const pause = Math.min(Math.max(answer?.waitMs ?? wait, firstWaitMs), retryAfterMaxMs)
      if (pause >= deadline.remainingMs) throw new AcmeError('timeout', 'The CA did not finish the order in time.')
      await sleep(pause, undefined, { signal }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw error
      })
    }
  }
}

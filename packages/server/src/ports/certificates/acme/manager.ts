import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import { Wakeup } from '../../../shared/wakeup.js'
import type { AcmeClient } from './client.js'
import type { CertificateStore } from './certificate-store.js'
import { isRepeat, type DueCertificate } from './lease-store.js'
import { AcmeError, type AcmeFailure } from './errors.js'
import type { OrderLimitStore } from './order-limit-store.js'
import { OverLimit } from './order-limits.js'
import type { ProofPublisher } from './proof.js'
import { Blocked, NotHere } from './blocked.js'
import { shownError } from './shown-error.js'
import { HeldLease, leaseMs } from './held-lease.js'
import { failuresAfter, renewalTime, retryTime } from './renewal.js'
import type { RenewalInfo } from './renewal-info.js'
import { newKey } from './x509.js'

export interface ManagerDependencies {
  readonly store: Pick<
    CertificateStore,
    'retry' | 'claim' | 'extend' | 'release' | 'replace' | 'postpone' | 'fail' | 'wait'
  >
  /** Counts the orders for accounts. */
  readonly limits: OrderLimitStore
  readonly client: () => Promise<AcmeClient>
  readonly proofs: ProofPublisher
  /** Stores which certificates are wanted, if that may have changed since its last call. */
  readonly syncWanted: () => Promise<void>
  /** Called when new certificates may be wanted, or names may lead to this server that did not. */
  readonly wakeup?: Wakeup
  /** Why a name must not be ordered now, as a sentence; undefined if it leads to this server. */
  readonly problemOf: (name: string) => Promise<string | undefined>
  /** A profile of the CA; undefined for its default. */
  readonly profile: string | undefined
  /** Called when this process has stored a certificate. */
  readonly onOrdered?: () => void
  /** Called for each order that failed, with the kind of failure. */
  readonly onFailed?: (reason: OrderFailure) => void
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** The time in milliseconds since the epoch. */
  readonly now?: () => number
}

/** A server that is started again and again must not begin an order each time. */
const afterStopMs = 60_000

/** How many certificates one process orders at the same time. */
const ordersMax = 8

/** How many of them may be repeated orders: names that are slow to look up, and never lead here, must not hold up the others. */
const repeatsMax = 2

/** How often a run looks for due certificates while orders are under way. */
const lookAgainMs = 2_000

/** Without renewal information, a certificate is looked at this often. */
const lookEveryMs = 12 * 3_600_000

/** Orders the certificates that are missing or due. Several processes share them by leases. */
export function certificateManager(given: ManagerDependencies): {
  /** Ends when nothing is due or under way. */
  readonly run: (signal: AbortSignal) => Promise<void>
} {
  const { wakeup = new Wakeup(), onOrdered = () => undefined, onFailed = () => undefined, now = Date.now } = given
  const blocked = new Blocked()
  const dependencies = { ...given, wakeup, onOrdered, onFailed, now, blocked }
  const state = { isWoken: false }
  wakeup.listen(() => {
    state.isWoken = true
    blocked.noteChange()
  })
  return {
    async run(signal) {
      const underWay = new UnderWay()
      try {
        while (!signal.aborted && !underWay.hasFailed) {
          if (state.isWoken) {
            state.isWoken = false
            const ids = blocked.take()
            if (ids.length > 0) await given.store.retry(ids, now())
          }
          await beginOrders(dependencies, underWay, signal)
          if (hasWork(state)) continue
          if (underWay.size === 0) break
          await pause(underWay, wakeup, signal)
        }
      } finally {
        await underWay.end()
      }
    },
  }
}

/** A call may have come during an await, which the type checker does not see. */
const hasWork = ({ isWoken }: { readonly isWoken: boolean }): boolean => isWoken

/** Why an order failed: `not_here` if a name does not lead to this server, `other` if no call to the CA failed. */
export type OrderFailure = AcmeFailure | 'not_here' | 'other'

const reasonOf = (error: unknown): OrderFailure =>
  error instanceof AcmeError ? error.failure : error instanceof NotHere ? 'not_here' : 'other'

type Dependencies = Required<ManagerDependencies> & { readonly blocked: Blocked }

/** The orders of a process. */
class UnderWay {
  readonly #orders = new Set<Promise<void>>()
  /** Those of them that are repeated. */
  readonly #repeats = new Set<Promise<void>>()
  readonly #errors: unknown[] = []

  get size(): number {
    return this.#orders.size
  }

  get repeats(): number {
    return this.#repeats.size
  }

  get hasFailed(): boolean {
    return this.#errors.length > 0
  }

  /** @param handled rejects if its outcome could not be stored */
  add(handled: Promise<void>, isRepeated: boolean): void {
    const order = handled
      .catch((error: unknown) => {
        this.#errors.push(error)
      })
      .finally(() => {
        this.#orders.delete(order)
        this.#repeats.delete(order)
      })
    this.#orders.add(order)
    if (isRepeated) this.#repeats.add(order)
  }

  /** Resolves when one of them has ended. */
  async next(): Promise<void> {
    await Promise.race(this.#orders)
  }

  /** Waits for all. @throws the first error */
  async end(): Promise<void> {
    await Promise.all(this.#orders)
    if (this.hasFailed) throw this.#errors[0]
  }
}

/** Looks for new names, and takes due certificates until enough are under way. */
async function beginOrders(dependencies: Dependencies, underWay: UnderWay, signal: AbortSignal): Promise<void> {
  const { store, syncWanted, now } = dependencies
  await syncWanted()
  while (underWay.size < ordersMax && !signal.aborted) {
    const certificate = await store.claim(now(), leaseMs, underWay.repeats < repeatsMax)
    if (certificate === undefined) return
    underWay.add(handle(dependencies, certificate, signal), isRepeat(certificate))
  }
}

/** Waits until an order has ended, there may be new names, or some may be due. */
async function pause(underWay: UnderWay, wakeup: Wakeup, signal: AbortSignal): Promise<void> {
  const ended = new AbortController()
  const woken = new Promise<void>((resolve) => {
    const end = wakeup.listen(resolve)
    const timer = setTimeout(resolve, lookAgainMs)
    const stop = () => {
      resolve()
      end()
      clearTimeout(timer)
    }
    AbortSignal.any([signal, ended.signal]).addEventListener('abort', stop, { once: true })
  })
  try {
    await Promise.race([underWay.next(), woken])
  } finally {
    ended.abort()
  }
}

/** Orders a certificate, or asks when it is to be renewed, and stores the outcome. */
async function handle(dependencies: Dependencies, certificate: DueCertificate, signal: AbortSignal): Promise<void> {
  const { store, log, now, blocked } = dependencies
  const { names, failures, chain } = certificate
  const held = new HeldLease(certificate, dependencies)
  const attempt = AbortSignal.any([signal, held.signal])
  const changes = blocked.changes
  // What the CA says about this attempt must not be overruled by a change.
  blocked.remove(certificate.id)
  const followsChange = blocked.beginAttempt(certificate.id)
  try {
    const times = await postponedTo(dependencies, certificate, attempt)
    if (times !== undefined) await store.postpone(await held.stop(), certificate.renewAt, times)
    else await save(dependencies, certificate, held, await order(dependencies, certificate, attempt))
  } catch (error) {
    const lease = await held.stop()
    if (signal.aborted) {
      // The server stops: another process, or the next start, continues.
      await store.release(lease, now() + afterStopMs)
      return
    }
    if (error instanceof OverLimit) {
      await store.wait(lease, error.nextAt, error.message)
      return
    }
    dependencies.onFailed(reasonOf(error))
    const retryAt = error instanceof AcmeError ? error.retryAt : undefined
    const validUntil = chain === null ? undefined : Date.parse(new X509Certificate(chain).validTo)
    const isOwn = error instanceof NotHere
    const count = failuresAfter(failures, isOwn)
    const hasChanged = isOwn && blocked.changes !== changes
    if (isOwn) blocked.add(certificate.id)
    // What has changed during the look-ups may have come too late for them.
    const nextAt = hasChanged
      ? now()
      : retryTime(isOwn && followsChange ? 1 : count, { now: now(), random: Math.random(), retryAt, validUntil, isOwn })
    await store.fail(lease, { now: now(), nextAt: Math.round(nextAt), failures: count }, shownError(error))
    log.warn({ err: error, names, next_attempt: new Date(nextAt).toISOString() }, 'a certificate could not be ordered')
  }
}

/** Asks the CA when a certificate is to be renewed. @returns undefined if that is now */
async function postponedTo(
  { client, log, now }: Dependencies,
  { names, chain, renewAt, orderedAt }: DueCertificate,
  signal: AbortSignal,
): Promise<Times | undefined> {
  if (chain === null || renewAt === null || orderedAt === null || renewAt <= now()) return undefined
  const info = await (await client()).renewalInfo(chain, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    log.warn({ err: error, names }, 'the CA does not say when a certificate is to be renewed')
    return undefined
  })
  const times = timesOf(chain, info, { now: now(), orderedAt, planned: renewAt })
  return times.renewAt <= now() ? undefined : times
}

type Times = ReturnType<typeof timesOf>

/**
 * When a certificate is renewed, and looked at next.
 * @param planned keeps the renewal time that was chosen before, if it is in the window
 */
function timesOf(
  chain: string,
  info: RenewalInfo | undefined,
  { now, orderedAt, planned }: { readonly now: number; readonly orderedAt: number; readonly planned?: number },
) {
  const leaf = new X509Certificate(chain)
  const life = { orderedAt, validFrom: Date.parse(leaf.validFrom), validUntil: Date.parse(leaf.validTo) }
  const isKept = planned !== undefined && (info === undefined || (planned >= info.start && planned <= info.end))
  const renewAt = isKept ? planned : Math.round(renewalTime(life, info, Math.random()))
  return { renewAt, nextAt: Math.min(renewAt, now + (info?.askAgainMs ?? lookEveryMs)) }
}

async function order(dependencies: Dependencies, certificate: DueCertificate, signal: AbortSignal) {
  const { limits, problemOf, log, now } = dependencies
  for (const name of certificate.names) {
    const problem = await problemOf(name)
    if (problem !== undefined) throw new NotHere(problem)
  }
  const counted = await limits.reserve(certificate, now())
  try {
    return await orderAtCa(dependencies, certificate, signal)
  } catch (error) {
    if (counted !== undefined)
      await limits.fail(counted).catch((err: unknown) => {
        log.warn({ err }, 'an order that failed goes on to count in the limit of its domain')
      })
    throw error
  }
}

async function orderAtCa(
  { client, proofs, profile }: Dependencies,
  { names, chain: replaced }: DueCertificate,
  signal: AbortSignal,
) {
  const key = newKey()
  const acme = await client()
  const { pem } = await acme.order({ names, key, profile, replaces: replaced ?? undefined, proofs }, signal)
  return { chain: pem, key }
}

async function save(
  { store, log, now, onOrdered }: Dependencies,
  { accountId, names }: DueCertificate,
  held: HeldLease,
  ordered: Awaited<ReturnType<typeof order>>,
): Promise<void> {
  const orderedAt = now()
  const { renewAt } = timesOf(ordered.chain, undefined, { now: orderedAt, orderedAt })
  // Due at once: the CA is asked about its renewal, and a failure of that must not lose the certificate.
  await store.replace({ ...(await held.stop()), accountId, names }, ordered, {
    now: orderedAt,
    nextAt: orderedAt,
    renewAt,
  })
  onOrdered()
  log.info({ names }, 'a certificate was ordered')
}

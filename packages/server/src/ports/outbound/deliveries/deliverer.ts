import type { Logger } from 'pino'
import { TargetError, type UserTargets } from '../port.js'
import type { Job } from '../../../shared/job.js'
import { answerText, type AttemptResult, type FinishedAttempt } from './attempt.js'
import { deliveryLimits, type DeliveriesUnderWay, type Delivery, type DueWebhook } from './delivery-limits.js'
import { DeliveryTurns, type DueDeliveries } from './delivery-turns.js'
import { outcomeOf, defaultBackoff, type Outcome } from './retry.js'

const failureMessage = 'deliveries of webhooks could not be read or saved'

/** Longer than the deadline of a request: meanwhile no other process sends the same one. */
const defaultLeaseMs = 20_000

/** Between two polls for due deliveries: a poll can read all that wait for busy hosts, and each request and outcome asks for one. A poll that finds some is repeated at once. */
const pollEveryMs = 100

/** How long deliveries may go on when the server stops. */
const defaultGraceMs = 2_000

/** A request to send. Its head is made for each attempt. */
export interface OutgoingRequest {
  readonly method: string
  readonly body: Buffer
  /** @param sentAt in milliseconds since the epoch. @returns the headers as names and values in turn */
  readonly head: (sentAt: number) => { readonly url: string; readonly headers: readonly string[] }
}

/** The outbox that a `Deliverer` sends: deliveries that are stored with what they are about, or after it. */
export interface Deliveries extends DueDeliveries {
  /** Hosts to which deliveries are due, those of the oldest first; empty without any. */
  readonly dueHosts: (now: number, underWay: DeliveriesUnderWay) => Promise<readonly string[]>
  /** Claims the oldest due delivery of each webhook: no other process sends them during the lease. */
  readonly claim: (webhooks: readonly DueWebhook[], now: number, leaseMs: number) => Promise<readonly Delivery[]>
  /** The request to send, or a sentence why it is not sent. */
  readonly outgoing: (delivery: Delivery) => Promise<OutgoingRequest | string>
  /** @param attempt null if nothing has been sent */
  readonly saveOutcome: (delivery: Delivery, outcome: Outcome, attempt: FinishedAttempt | null) => Promise<void>
  /** Returns a claimed delivery without counting the attempt. */
  readonly release: (delivery: Delivery) => Promise<void>
}

export interface DelivererOptions {
  /** Of the job. */
  readonly name: string
  readonly deliveries: Deliveries
  readonly targets: UserTargets
  readonly log: Pick<Logger, 'error'>
  /** Milliseconds between the attempts. */
  readonly backoff?: readonly number[]
  readonly leaseMs?: number
  readonly graceMs?: number
}

/**
 * Sends the waiting deliveries of webhooks. A delivery is claimed in one transaction, sent outside of any, and its outcome is saved
 * in another one. If the process ends in between, another one repeats it after the lease: the target gets it at least once.
 */
export class Deliverer {
  readonly job: Job
  readonly #running = new Map<Delivery, Promise<void>>()
  readonly #abort = new AbortController()
  readonly #turns: DeliveryTurns
  #isStopping = false
  #isWoken = false
  /** The claims under way. */
  #claiming: Promise<void> | undefined
  #nextPoll: NodeJS.Timeout | undefined
  /** Milliseconds, as of `performance.now`. */
  #lastPollAt = -pollEveryMs

  constructor(private readonly options: DelivererOptions) {
    this.#turns = new DeliveryTurns(options.deliveries)
    this.job = { name: options.name, everyMs: 1_000, runsIn: 'every process', failureMessage, run: () => this.#begin() }
  }

  /** Begins due deliveries: at once, or up to 100 ms later if the last poll was just now. */
  wake(): void {
    if (this.#isStopping || this.#nextPoll !== undefined) return
    const waitMs = Math.max(0, this.#lastPollAt + pollEveryMs - performance.now())
    this.#nextPoll = setTimeout(() => {
      this.#nextPoll = undefined
      this.#begin().catch((error: unknown) => {
        this.options.log.error({ err: error }, failureMessage)
      })
    }, waitMs)
  }

  /** Begins no further deliveries, and aborts those under way after a short time. */
  stop(): void {
    this.#isStopping = true
    clearTimeout(this.#nextPoll)
    setTimeout(() => {
      this.#abort.abort()
    }, this.options.graceMs ?? defaultGraceMs).unref()
  }

  /** Resolves when no claim and no delivery is under way. */
  async close(): Promise<void> {
    this.stop()
    // Its error is that of the job, or has been logged.
    await Promise.allSettled([this.#claiming])
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  #begin(): Promise<void> {
    this.#isWoken = true
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined
    })
    return this.#claiming
  }

  async #claimAll(): Promise<void> {
    while (this.#isWoken && !this.#isStopping) {
      this.#isWoken = false
      this.#lastPollAt = performance.now()
      if (await this.#claim()) this.#isWoken = true
    }
  }

  /** @returns whether more deliveries can begin */
  async #claim(): Promise<boolean> {
    const { deliveries, leaseMs = defaultLeaseMs } = this.options
    const [now, underWay] = [Date.now(), this.#underWay()]
    if (underWay.free === 0) return false
    const hosts = await deliveries.dueHosts(now, underWay)
    const webhooks = await this.#turns.pick(hosts, underWay, now)
    // Without a due delivery, no write is needed.
    if (webhooks.length === 0 || this.#isStopping) return false
    const claimed = await deliveries.claim(webhooks, now, leaseMs)
    for (const delivery of claimed) this.#start(delivery)
    return claimed.length > 0
  }

  #underWay(): DeliveriesUnderWay {
    const hosts = new Map<string, number>()
    const accounts = new Map<number, number>()
    for (const { host, accountId } of this.#running.keys()) {
      hosts.set(host, (hosts.get(host) ?? 0) + 1)
      accounts.set(accountId, (accounts.get(accountId) ?? 0) + 1)
    }
    return { free: deliveryLimits.total - this.#running.size, hosts, accounts }
  }

  #start(delivery: Delivery): void {
    const run = this.#deliver(delivery)
      .catch((error: unknown) => {
        this.options.log.error({ err: error }, failureMessage)
      })
      .finally(() => {
        this.#running.delete(delivery)
        this.wake()
      })
    this.#running.set(delivery, run)
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { deliveries, backoff = defaultBackoff } = this.options
    if (this.#isStopping) return deliveries.release(delivery)
    const retryAfter = (result: AttemptResult) =>
      outcomeOf(result, delivery.attempts, { now: Date.now(), random: Math.random(), backoff })
    let request: OutgoingRequest | string
    try {
      request = await deliveries.outgoing(delivery)
    } catch (error) {
      // Counted as an attempt: otherwise the delivery would be claimed after each lease for ever.
      this.options.log.error({ err: error }, failureMessage)
      return deliveries.saveOutcome(delivery, retryAfter({ error: 'The request could not be read.' }), null)
    }
    if (typeof request === 'string') {
      const notSent: Outcome = { state: 'failed', dueAt: null, pausedUntil: null, status: null, error: request }
      return deliveries.saveOutcome(delivery, notSent, null)
    }
    const [startedAt, start] = [Date.now(), performance.now()]
    const result = await this.#send(request)
    const durationMs = Math.round(performance.now() - start)
    // The target is not the reason: the attempt does not count.
    if (this.#abort.signal.aborted && 'error' in result) return deliveries.release(delivery)
    const answer = 'error' in result ? null : answerText(result.bodyStart)
    return deliveries.saveOutcome(delivery, retryAfter(result), { startedAt, durationMs, answer })
  }

  async #send({ method, body, head }: OutgoingRequest): Promise<AttemptResult> {
    try {
      const { url, headers } = head(Date.now())
      return await this.options.targets.send(url, { method, headers, body, signal: this.#abort.signal })
    } catch (error) {
      if (error instanceof TargetError) return { error: error.message }
      // Counted as an attempt: otherwise the delivery would be claimed again and again.
      this.options.log.error({ err: error }, 'a request of a webhook could not be forwarded')
      return { error: 'The request could not be forwarded.' }
    }
  }
}

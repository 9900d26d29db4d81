import type { Logger } from 'pino'
import type { CertificateStore } from './certificate-store.js'
import type { DueCertificate, Lease } from './lease-store.js'

/** Milliseconds after which another process repeats the order of a process that was killed. */
export const leaseMs = 10_000

const extendEveryMs = 2_500

interface LeaseDependencies {
  readonly store: Pick<CertificateStore, 'extend'>
  readonly now: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** The lease of a certificate during its order: it is extended, so that it may be short. */
export class HeldLease {
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  #lease: Lease
  #extending: Promise<void> = Promise.resolve()
  /** Aborts if the lease is over: then another process may order the certificate. */
  readonly signal: AbortSignal = this.#lost.signal

  constructor(
    certificate: DueCertificate,
    private readonly dependencies: LeaseDependencies,
  ) {
    this.#lease = { id: certificate.id, leasedUntil: certificate.leasedUntil }
    this.#timer = setInterval(() => {
      this.#extending = this.#extending.then(() => this.#extend())
    }, extendEveryMs).unref()
  }

  /** Extends it no more. @returns the lease as the database has it */
  async stop(): Promise<Lease> {
    clearInterval(this.#timer)
    await this.#extending
    return this.#lease
  }

  async #extend(): Promise<void> {
    if (this.signal.aborted) return
    const { store, now, log } = this.dependencies
    const { id, leasedUntil } = this.#lease
    const next = now() + leaseMs
    try {
      if (await store.extend(this.#lease, next)) this.#lease = { id, leasedUntil: next }
      else this.#lost.abort(new Error('Another process has taken the certificate.'))
    } catch (error) {
      log.warn({ err: error }, 'the lease of a certificate could not be extended')
      if (now() >= leasedUntil) this.#lost.abort(new Error('The lease of the certificate is over.'))
    }
  }
}

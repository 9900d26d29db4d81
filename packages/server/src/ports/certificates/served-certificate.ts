import { setTimeout as sleep } from 'node:timers/promises'
import { PackedPem } from './packed-pem.js'
import type { Certificate, Pem } from './port.js'

type Facts = Pick<Certificate, 'names' | 'validUntil' | 'since' | 'isOfAccount' | 'isEnding'>

/** @returns false for a certificate that cannot be used, and that the source finds no more */
export type CheckLater = (certificate: ServedCertificate) => boolean

/**
 * A certificate in memory. A check takes 0.2 ms, so a start with thousands of certificates leaves it to their first use, or to
 * `checkInTurns`.
 */
export class ServedCertificate implements Certificate {
  readonly names: readonly string[]
  readonly validUntil: number
  readonly since: number
  readonly isOfAccount: boolean
  readonly isEnding: boolean
  readonly #packed: PackedPem
  #check: CheckLater | undefined

  /** @param check undefined for one that has been checked */
  constructor({ names, validUntil, since, isOfAccount, isEnding }: Facts, pem: Pem, check?: CheckLater) {
    this.names = names
    this.validUntil = validUntil
    this.since = since
    this.isOfAccount = isOfAccount
    this.isEnding = isEnding
    this.#packed = new PackedPem(pem)
    this.#check = check
  }

  isUsable(): boolean {
    if (this.#check?.(this) === false) return false
    this.#check = undefined
    return true
  }

  pem(): Pem {
    return this.#packed.pem
  }

  /** The same with another time of the first certificate. */
  withSince(since: number): ServedCertificate {
    const { names, validUntil, isOfAccount, isEnding } = this
    return new ServedCertificate({ names, validUntil, since, isOfAccount, isEnding }, this.pem(), this.#check)
  }
}

/** Four checks take a millisecond: a tenth of the time of the event loop. */
const checksOfTurn = 4
const pauseMs = 9

/** Checks what was not checked at the start, so that the log names what cannot be used before a client needs it. */
export async function checkInTurns(certificates: Iterable<Certificate>, isStopped: () => boolean): Promise<void> {
  let checks = 0
  for (const certificate of certificates) {
    if (checks++ % checksOfTurn === 0) await sleep(pauseMs, undefined, { ref: false })
    if (isStopped()) return
    certificate.isUsable()
  }
}

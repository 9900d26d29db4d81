import { isExpired, type Certificate, type CertificateListener, type CertificateSource } from './port.js'

/**
 * Certificates in memory, by name. If several are for one name, the one that is valid longest is served. A wildcard is for one label
 * (RFC 9525, section 6.3), and is served before an expired certificate of the exact name.
 */
export class CertificateMap implements CertificateSource {
  readonly #byName = new Map<string, Certificate>()
  readonly #listeners = new Set<CertificateListener>()
  #all = new Set<Certificate>()

  find = (name: string): Certificate | undefined => {
    const exact = this.#byName.get(name)
    if (exact !== undefined && !isExpired(exact)) return exact
    const dot = name.indexOf('.')
    const wildcard = dot > 0 ? this.#byName.get(`*${name.slice(dot)}`) : undefined
    return exact === undefined || (wildcard !== undefined && !isExpired(wildcard)) ? wildcard : exact
  }

  all = (): Iterable<Certificate> => this.#all

  onChange = (listener: CertificateListener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Replaces all certificates. One that is the same object stays. */
  replace(certificates: Iterable<Certificate>): void {
    const before = this.#all
    this.#all = new Set(certificates)
    const removed = [...before].filter((certificate) => !this.#all.has(certificate))
    if (removed.length === 0 && before.size === this.#all.size) return
    this.#byName.clear()
    for (const certificate of this.#all) this.#index(certificate)
    for (const listener of this.#listeners) listener(removed)
  }

  /** Ends serving one certificate. Others for its names take its place. */
  remove(certificate: Certificate): void {
    if (this.#all.has(certificate)) this.replace([...this.#all].filter((other) => other !== certificate))
  }

  #index(certificate: Certificate): void {
    for (const name of certificate.names) {
      const other = this.#byName.get(name)
      if (!other || other.validUntil < certificate.validUntil) this.#byName.set(name, certificate)
    }
  }
}

import { createSecureContext, type SecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { Certificate, CertificateSource } from '../../ports/certificates/port.js'

/** A context has 25 to 42 kB outside of the heap, and takes 0.3 ms to create. */
const contextsMax = 400

/** Keeps the contexts of OpenSSL for the certificates that were asked for last. */
export class SecureContexts {
  readonly #contexts = new LRUCache<Certificate, SecureContext>({ max: contextsMax })
  readonly stop: () => void

  constructor(source: Pick<CertificateSource, 'onChange'>) {
    this.stop = source.onChange((removed) => {
      for (const certificate of removed) this.#contexts.delete(certificate)
    })
  }

  /** @throws an error of OpenSSL, which refuses the certificate */
  of(certificate: Certificate): SecureContext {
    const known = this.#contexts.get(certificate)
    if (known) return known
    const { chain: cert, key } = certificate.pem()
    const context = createSecureContext({ cert, key })
    this.#contexts.set(certificate, context)
    return context
  }
}

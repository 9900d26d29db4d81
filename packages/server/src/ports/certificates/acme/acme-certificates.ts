import type { Logger } from 'pino'
import { countChanges } from '../../../db/change-clock-store.js'
import type { Database } from '../../../db/port.js'
import type { Job } from '../../../shared/job.js'
import { Wakeup } from '../../../shared/wakeup.js'
import { CertificateMap } from '../certificate-map.js'
import { certificatesIn, checkCertificate } from '../check.js'
import type { Certificate, CertificateSource } from '../port.js'
import type { CertificateStore, StoredCertificate } from './certificate-store.js'
import { keyFromPem } from './x509.js'

const everyMs = 250

interface Dependencies {
  readonly database: Database
  readonly store: Pick<CertificateStore, 'all' | 'discard'>
  readonly log: Pick<Logger, 'error'>
}

/** The certificates that any process on the database has ordered, in memory: they are served while the CA and the database are down. */
export class AcmeCertificates implements CertificateSource {
  readonly #map = new CertificateMap()
  readonly find = this.#map.find
  readonly all = this.#map.all
  readonly onChange = this.#map.onChange
  /** By their chains. */
  #served = new Map<string, Certificate>()
  #changes: number | undefined

  /** Called when this process has ordered a certificate: it is served at once. */
  readonly wakeup = new Wakeup()

  /** Loads certificates that other processes have ordered. */
  readonly job: Job = {
    name: 'certificates.follow',
    everyMs,
    wakeup: this.wakeup,
    runsIn: 'every process',
    failureMessage: 'certificates that were ordered could not be loaded',
    run: () => this.#follow(),
  }

  private constructor(private readonly dependencies: Dependencies) {}

  /** Loads the certificates, so that the first handshake finds its own. */
  static async open(dependencies: Dependencies): Promise<AcmeCertificates> {
    const certificates = new AcmeCertificates(dependencies)
    await certificates.#follow()
    return certificates
  }

  async #follow(): Promise<void> {
    const { database, store } = this.dependencies
    const changes = await countChanges(database, 'certificates')
    if (changes === this.#changes) return
    const stored = await store.all()
    this.#served = new Map(stored.flatMap((one) => this.#load(one)))
    this.#map.replace(this.#served.values())
    for (const one of stored) if (one.key === undefined) await this.#discard(one)
    this.#changes = changes
  }

  /** A row that cannot be used must not take the others away. */
  #load(stored: StoredCertificate): [string, Certificate][] {
    const { chain, key, since, names } = stored
    const known = this.#served.get(chain)
    if (known !== undefined) return [[chain, known]]
    if (key === undefined) return []
    try {
      return [[chain, { ...checkCertificate(certificatesIn(chain), keyFromPem(key)), since }]]
    } catch (error) {
      this.dependencies.log.error({ err: error, names }, 'a certificate of the database cannot be used')
      return []
    }
  }

  /** Lets the servers order a certificate anew whose key is lost. */
  async #discard(stored: StoredCertificate): Promise<void> {
    this.dependencies.log.error(
      { names: stored.names },
      'the private key of a certificate does not decrypt: it is ordered anew',
    )
    await this.dependencies.store.discard(stored, 'Its private key in the database does not decrypt.')
  }
}

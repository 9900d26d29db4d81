import type { Logger } from 'pino'
import { countChanges } from '../../../db/change-clock-store.js'
import type { Database } from '../../../db/port.js'
import type { Job } from '../../../shared/job.js'
import { Wakeup } from '../../../shared/wakeup.js'
import { CertificateMap } from '../certificate-map.js'
import { certificatesIn, checkCertificate } from '../check.js'
import type { Certificate, CertificateSource } from '../port.js'
import type { CertificateVersion, ServedCertificateStore, StoredCertificate } from './served-certificate-store.js'
import { keyFromPem } from './x509.js'

const everyMs = 250

/** Certificates that are decrypted and parsed in one turn of the event loop: about 10 ms. */
const loadedAtOnce = 50

interface Dependencies {
  readonly database: Database
  readonly store: ServedCertificateStore
  readonly log: Pick<Logger, 'error'>
}

/** The certificates that any process on the database has ordered, in memory: they are served while the CA and the database are down. */
export class AcmeCertificates implements CertificateSource {
  readonly #map = new CertificateMap()
  readonly find = this.#map.find
  readonly all = this.#map.all
  readonly onChange = this.#map.onChange
  /** By their versions; undefined for one that cannot be used. */
  #served = new Map<string, Certificate | undefined>()
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
    const versions = await store.versions()
    const served = new Map(versions.map(({ version }) => [version, this.#served.get(version)]))
    const unknown = versions.filter(({ version }) => !this.#served.has(version))
    for (let at = 0; at < unknown.length; at += loadedAtOnce)
      for (const [version, certificate] of await this.#loadAll(unknown.slice(at, at + loadedAtOnce)))
        served.set(version, certificate)
    this.#served = served
    this.#map.replace([...served.values()].filter((certificate) => certificate !== undefined))
    this.#changes = changes
  }

  async #loadAll(versions: readonly CertificateVersion[]): Promise<[string, Certificate | undefined][]> {
    const { store } = this.dependencies
    const versionOf = new Map(versions.map(({ id, version }) => [id, version]))
    const stored = await store.load([...versionOf.keys()])
    for (const one of stored) if (one.key === undefined) await this.#discard(one)
    return stored.map((one) => [versionOf.get(one.id) ?? '', this.#load(one)])
  }

  /** A row that cannot be used must not take the others away, and is served only for the names that it was ordered for. */
  #load({ accountId, chain, key, since, names }: StoredCertificate): Certificate | undefined {
    if (key === undefined) return undefined
    try {
      const certificate = checkCertificate(certificatesIn(chain), keyFromPem(key))
      const own = certificate.names.filter((name) => names.includes(name))
      return { ...certificate, names: own, since, isOfAccount: accountId !== null }
    } catch (error) {
      this.dependencies.log.error({ err: error, names }, 'a certificate of the database cannot be used')
      return undefined
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

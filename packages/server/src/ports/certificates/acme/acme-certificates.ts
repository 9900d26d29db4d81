import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import { countChanges } from '../../../db/change-clock-store.js'
import type { Database } from '../../../db/port.js'
import type { Job } from '../../../shared/job.js'
import { Wakeup } from '../../../shared/wakeup.js'
import { CertificateMap } from '../certificate-map.js'
import { certificatesIn, checkCertificate, UnusableCertificate, validityOf } from '../check.js'
import type { CertificateSource } from '../port.js'
import { checkInTurns, ServedCertificate } from '../served-certificate.js'
import type { CertificateVersion, ServedCertificateStore, StoredCertificate } from './served-certificate-store.js'
import { keyFromPem } from './x509.js'

const everyMs = 250

/** Certificates that are decrypted, and checked after the start, in one turn of the event loop: about 10 ms. */
const loadedAtOnce = 50

interface Dependencies {
  readonly database: Database
  readonly store: ServedCertificateStore
  readonly log: Pick<Logger, 'error'>
}

interface Served {
  readonly version: string
  /** Undefined if it cannot be used, and neither could one before it. */
  readonly certificate: ServedCertificate | undefined
}

/** The certificates that any process on the database has ordered, in memory: they are served while the CA and the database are down. */
export class AcmeCertificates implements CertificateSource {
  readonly #map = new CertificateMap()
  readonly find = this.#map.find
  readonly all = this.#map.all
  readonly onChange = this.#map.onChange
  /** By their ids. */
  #served = new Map<number, Served>()
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

  /** Loads the certificates, so that the first handshake finds its own. They are checked later: no other one is replaced by them. */
  static async open(dependencies: Dependencies): Promise<AcmeCertificates> {
    const certificates = new AcmeCertificates(dependencies)
    await certificates.#follow()
    checkInTurns(certificates.all(), () => false).catch((error: unknown) => {
      dependencies.log.error({ err: error }, 'the certificates of the database could not be checked')
    })
    return certificates
  }

  async #follow(): Promise<void> {
    const { database, store } = this.dependencies
    const changes = await countChanges(database, 'certificates')
    if (changes === this.#changes) return
    const versions = await store.versions()
    const isNew = ({ id, version }: CertificateVersion) => this.#served.get(id)?.version !== version
    const ids = versions.filter(isNew).map(({ id }) => id)
    const loaded = new Map<number, ServedCertificate | undefined>()
    for (let at = 0; at < ids.length; at += loadedAtOnce)
      for (const stored of await this.#read(ids.slice(at, at + loadedAtOnce))) loaded.set(stored.id, this.#load(stored))
    // One that cannot be used does not replace one that can.
    const certificateOf = (id: number) => loaded.get(id) ?? this.#served.get(id)?.certificate
    this.#served = new Map(versions.map(({ id, version }) => [id, { version, certificate: certificateOf(id) }]))
    this.#map.replace([...this.#served.values()].flatMap(({ certificate }) => certificate ?? []))
    this.#changes = changes
  }

  async #read(ids: readonly number[]): Promise<readonly StoredCertificate[]> {
    const all = await this.dependencies.store.load(ids)
    for (const stored of all) if (stored.key === undefined) await this.#discard(stored)
    return all
  }

  /** A row that cannot be used must not take the others away, and is served only for the names that it was ordered for. */
  #load({ accountId, chain, key, since, names, isWanted, ...row }: StoredCertificate): ServedCertificate | undefined {
    if (key === undefined) return undefined
    const parts = { names, since, isOfAccount: accountId !== null, isEnding: !isWanted }
    try {
      const validUntil = row.validUntil ?? validityOf(new X509Certificate(chain)).validUntil
      const certificate = new ServedCertificate({ ...parts, validUntil }, { chain, key }, this.#check)
      const isFirstLoad = this.#changes === undefined
      return isFirstLoad || certificate.isUsable() ? certificate : undefined
    } catch (error) {
      this.#logUnusable(names, error)
      return undefined
    }
  }

  readonly #check = (certificate: ServedCertificate): boolean => {
    const { names } = certificate
    try {
      const { chain, key } = certificate.pem()
      const checked = checkCertificate(certificatesIn(chain), keyFromPem(key))
      const missing = names.filter((name) => !checked.names.includes(name))
      if (missing.length > 0) throw new UnusableCertificate(`It is not for ${missing.join(', ')}.`)
      return true
    } catch (error) {
      this.#logUnusable(names, error)
      this.#forget(certificate)
      return false
    }
  }

  #forget(certificate: ServedCertificate): void {
    for (const [id, { version, certificate: served }] of this.#served)
      if (served === certificate) this.#served.set(id, { version, certificate: undefined })
    this.#map.remove(certificate)
  }

  #logUnusable(names: readonly string[], error: unknown): void {
    this.dependencies.log.error({ err: error, names }, 'a certificate of the database cannot be used')
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

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CertificateMap } from '../certificate-map.js'
import { certificatesIn, checkCertificate, keysIn, UnusableCertificate } from '../check.js'
import { isExpired, type Certificate, type CertificateSource } from '../port.js'
import { checkInTurns, type CheckLater, type ServedCertificate } from '../served-certificate.js'
import { listFiles, type FileProblem } from './list.js'
import { pair, type Pair } from './pairs.js'
import { readPair, readPemFile, type PemFile } from './pem-file.js'

/** Files or directories with certificates and private keys. */
export interface CertificatePlaces {
  readonly certificates: string
  readonly keys: string
}

/** How often the files are looked at; with many files less often, because each costs a system call. */
const pollMs = 2_000
const pollMsPerFile = 5

interface OpenOptions {
  readonly isFollowed?: boolean
  /** With more files, those with certificate and key are checked later: each check takes 0.2 ms. */
  readonly checkedAtStart?: number
}

const defaultCheckedAtStart = 500

/** For commands, which report all problems. */
export const readOnce: OpenOptions = { isFollowed: false, checkedAtStart: Infinity }

/** Reading takes a tenth of a millisecond. */
const readInTurn = 10

type Log = Pick<Logger, 'error'>

interface Served {
  readonly certificate: ServedCertificate
  /** The signatures of its two files. */
  readonly version: string
}

/**
 * Serves certificates from files, and loads them again when they change: also after a rename, and after certbot or Kubernetes has led a
 * symbolic link elsewhere. A version that cannot be used changes nothing: the one before is served on.
 */
export class FileCertificates implements CertificateSource {
  readonly #map = new CertificateMap()
  readonly find = this.#map.find
  readonly all = this.#map.all
  readonly onChange = this.#map.onChange
  #files = new Map<string, PemFile>()
  /** By the path of the certificate. */
  #served = new Map<string, Served>()
  #problems: readonly FileProblem[] = []
  /** Problems of the last look, as texts. A program may still have been writing: those of two looks are logged. */
  #seen = new Set<string>()
  #logged = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(
    private readonly places: CertificatePlaces,
    private readonly log: Log,
  ) {}

  /** Loads the files, and again when they change if `isFollowed`. */
  static async open(
    places: CertificatePlaces,
    log: Log,
    { isFollowed = true, checkedAtStart = defaultCheckedAtStart }: OpenOptions = {},
  ): Promise<FileCertificates> {
    const files = new FileCertificates(places, log)
    await files.#load(checkedAtStart)
    for (const text of files.#seen) files.#logOnce(text)
    if (isFollowed) files.#follow()
    return files
  }

  /** What cannot be used now. */
  get problems(): readonly FileProblem[] {
    return this.#problems
  }

  /** The certificates that are served, by the paths of their files. */
  get byPath(): ReadonlyMap<string, ServedCertificate> {
    return new Map([...this.#served].map(([path, { certificate }]) => [path, certificate]))
  }

  close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    return Promise.resolve()
  }

  #poll(): void {
    if (this.#isClosed) return
    const ms = Math.max(pollMs, this.#files.size * pollMsPerFile)
    this.#timer = setTimeout(() => {
      this.load()
        .catch((error: unknown) => {
          this.log.error({ err: error }, 'the certificates could not be loaded')
        })
        .finally(() => {
          this.#poll()
        })
    }, ms).unref()
  }

  #follow(): void {
    this.#poll()
    checkInTurns(this.all(), () => this.#isClosed).catch((error: unknown) => {
      this.log.error({ err: error }, 'the certificates could not be checked')
    })
  }

  /** Looks at all files, and loads those that have changed. */
  load(): Promise<void> {
    return this.#load(Infinity)
  }

  async #load(checkedAtStart: number): Promise<void> {
    const listings = await Promise.all([...new Set([this.places.certificates, this.places.keys])].map(listFiles))
    const found = new Map(listings.flatMap(({ files }) => files.map((file) => [file.path, file] as const)))
    const check = found.size > checkedAtStart ? this.#check : undefined
    const files = new Map<string, PemFile>()
    let read = 0
    for (const [path, file] of found) {
      const before = this.#files.get(path)
      const isSame = before?.signature === file.signature
      files.set(path, isSame ? before : await readPemFile(file, check))
      if (!isSame && ++read % readInTurn === 0) await nextTurn()
    }
    this.#files = files
    const { pairs, problems } = pair([...files.values()])
    const unusable = [...listings.flatMap((listing) => listing.problems), ...problems]
    await this.#serve(pairs, unusable)
    this.#report(unusable)
  }

  /** @param problems gets those of the pairs */
  async #serve(pairs: readonly Pair[], problems: FileProblem[]): Promise<void> {
    const served = new Map<string, Served>()
    for (const one of pairs) {
      const { path } = one.certificate
      const before = this.#served.get(path)
      const next = await this.#loaded(one, before, problems)
      if (next !== undefined) served.set(path, next)
    }
    const isBroken = new Set(problems.map(({ path }) => path))
    for (const [path, before] of this.#served) {
      if (served.has(path)) continue
      const isKept = isBroken.has(path) || this.#isEmptied(path, problems) || this.#isGoneOnce(path, problems)
      if (isKept) served.set(path, before)
    }
    this.#served = served
    this.#map.replace([...served.values()].map(({ certificate }) => certificate))
  }

  #isEmptied(path: string, problems: FileProblem[]): boolean {
    const file = this.#files.get(path)
    if (file === undefined || file.first !== undefined) return false
    problems.push({ path, message: 'It has no certificate any more.' })
    return true
  }

  /** Whether a file is gone since this look only. Then another may still take its place. */
  #isGoneOnce(path: string, problems: FileProblem[]): boolean {
    if (this.#files.has(path)) return false
    const text = 'It has gone, and its certificate is no longer served.'
    if (this.#seen.has(textOf({ path, message: text }))) return false
    problems.push({ path, message: text })
    return true
  }

  async #loaded({ certificate: file, key }: Pair, before: Served | undefined, problems: FileProblem[]) {
    const { signature } = file
    const version = key.path === file.path ? signature : `${signature} ${String(this.#files.get(key.path)?.signature)}`
    if (before?.version === version) {
      if (isExpired(before.certificate)) problems.push(expired(file.path, before.certificate))
      return before
    }
    try {
      const read = await readPair(file, key)
      if (read !== file.own) await nextTurn()
      if (isExpired(read)) {
        problems.push(expired(file.path, read))
        // An expired one is better than none: browsers say why they refuse it.
        if (before !== undefined && before.certificate.validUntil > read.validUntil) return before
      }
      if (before === undefined) return { certificate: read, version }
      if (before.certificate.pem().chain === read.pem().chain) return { certificate: before.certificate, version }
      const isRenewal = before.certificate.names.some((name) => read.names.includes(name))
      const isOlder = isRenewal && before.certificate.since < read.since
      return { certificate: isOlder ? read.withSince(before.certificate.since) : read, version }
    } catch (error) {
      if (!(error instanceof UnusableCertificate)) throw error
      problems.push({ path: file.path, message: error.message })
      return before
    }
  }

  /** A file that was not checked at the start, and cannot be used, is served no more, and the next look reads it again. */
  readonly #check: CheckLater = (certificate) => {
    const { chain, key } = certificate.pem()
    try {
      const [privateKey] = keysIn(key)
      if (privateKey === undefined)
        throw new UnusableCertificate('Its key has other words at its end than at its beginning.')
      checkCertificate(certificatesIn(chain), privateKey)
      return true
    } catch (error) {
      if (!(error instanceof UnusableCertificate)) throw error
      this.#forget(certificate, error.message)
      return false
    }
  }

  #forget(certificate: ServedCertificate, message: string): void {
    for (const [path, { certificate: served }] of this.#served)
      if (served === certificate) {
        this.#logOnce(textOf({ path, message }))
        this.#served.delete(path)
        this.#files.delete(path)
      }
    this.#map.remove(certificate)
  }

  #report(problems: readonly FileProblem[]): void {
    this.#problems = problems
    const texts = new Set(problems.map(textOf))
    for (const text of texts) if (this.#seen.has(text)) this.#logOnce(text)
    for (const text of this.#logged) if (!texts.has(text)) this.#logged.delete(text)
    this.#seen = texts
  }

  #logOnce(text: string): void {
    if (this.#logged.has(text)) return
    this.#logged.add(text)
    this.log.error(`a certificate cannot be used: ${text}`)
  }
}

const textOf = ({ path, message }: FileProblem): string => `${path}: ${message}`

const expired = (path: string, { validUntil }: Certificate): FileProblem => ({
  path,
  message: `The certificate has expired on ${new Date(validUntil).toISOString().slice(0, 10)}.`,
})

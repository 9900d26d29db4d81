import { createHash, createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { publicKeyOf } from '../algorithms.js'
import {
  certificatesIn,
  checkCertificate,
  keysIn,
  keyTextsIn,
  namesOf,
  UnusableCertificate,
  validityOf,
  type CheckedCertificate,
} from '../check.js'
import { ServedCertificate, type CheckLater } from '../served-certificate.js'
import { reasonOf, type FoundFile } from './list.js'

/** What a file has. Digests and what is served: parsed certificates and keys take many times the memory. */
export interface PemFile extends FoundFile {
  /** Its first certificate; undefined without one. */
  readonly first: FirstCertificate | undefined
  /** The digests of the public keys of its private keys. */
  readonly keys: readonly string[]
  /** The certificate with its key, if the file has both and they can be served. */
  readonly own: ServedCertificate | undefined
  /** Why it cannot be used, as a sentence. */
  readonly problem: string | undefined
}

interface FirstCertificate {
  readonly digest: string
  readonly publicKey: string
  /** How many certificates the file has. */
  readonly chainLength: number
  /** Whether it may issue others, such as the chain.pem of certbot. */
  readonly isIssuer: boolean
}

/**
 * Reads a file. Never throws.
 * @param check for a file with one certificate and one key: it is called before the first use, and then decides whether the key fits
 */
export async function readPemFile(file: FoundFile, check?: CheckLater): Promise<PemFile> {
  const { path, signature, isOfDirectory } = file
  const none = { path, signature, isOfDirectory, first: undefined, keys: [], own: undefined, problem: undefined }
  try {
    const text = await textOf(path)
    const chain = certificatesIn(text)
    const [leaf] = chain
    const first = leaf && {
      digest: digestOf(leaf.raw),
      publicKey: digestOf(publicKeyOf(leaf.raw) ?? exported(leaf.publicKey)),
      chainLength: chain.length,
      isIssuer: leaf.ca,
    }
    const unchecked = check && uncheckedOf(chain, keyTextsIn(text), check)
    if (first && unchecked) return { ...none, first, keys: [first.publicKey], own: unchecked }
    const privateKeys = keysIn(text)
    const fits = (key: KeyObject) => leaf?.checkPrivateKey(key) === true
    // A comparison takes a fiftieth of the time of a digest.
    const keys = privateKeys.map((key) =>
      first && fits(key) ? first.publicKey : digestOf(exported(createPublicKey(key))),
    )
    const ownKey = privateKeys.find(fits)
    const own = ownKey && usable(chain, ownKey)
    const isNothing = first === undefined && keys.length === 0
    return { ...none, first, keys, own, problem: isNothing && !isOfDirectory ? 'It has no PEM text.' : undefined }
  } catch (error) {
    if (error instanceof UnusableCertificate) return { ...none, problem: error.message }
    throw error
  }
}

function uncheckedOf(
  chain: readonly X509Certificate[],
  [key, ...others]: readonly string[],
  check: CheckLater,
): ServedCertificate | undefined {
  const [leaf] = chain
  const names = leaf ? namesOf(leaf) : []
  if (leaf === undefined || key === undefined || others.length > 0 || names.length === 0) return undefined
  return servedOf({ names, chain: chain.map(String).join(''), key, ...validityOf(leaf) }, check)
}

const servedOf = (
  { names, chain, key, validFrom, validUntil }: Omit<CheckedCertificate, 'issuer'>,
  check?: CheckLater,
): ServedCertificate =>
  new ServedCertificate(
    { names, validUntil, since: validFrom, isOfAccount: false, isEnding: false },
    { chain, key },
    check,
  )

/** @returns undefined for a certificate that cannot be served: `readPair` says why */
function usable(chain: readonly X509Certificate[], key: KeyObject): ServedCertificate | undefined {
  try {
    return servedOf(checkCertificate(chain, key))
  } catch (error) {
    if (error instanceof UnusableCertificate) return undefined
    throw error
  }
}

/** Reads and checks a certificate and its key. @throws UnusableCertificate */
export async function readPair(certificate: PemFile, { path }: KeyPlace): Promise<ServedCertificate> {
  if (certificate.own && certificate.path === path) return certificate.own
  const chain = certificatesIn(await textOf(certificate.path))
  const key = keysIn(await textOf(path)).find((one) => chain[0]?.checkPrivateKey(one))
  if (key === undefined) throw new UnusableCertificate(`The private key in ${path} does not fit the certificate.`)
  return servedOf(checkCertificate(chain, key))
}

/** A private key: the file, and the digest of its public key. */
export interface KeyPlace {
  readonly path: string
  readonly publicKey: string
}

async function textOf(path: string): Promise<string> {
  try {
    // Short, and just found: the asynchronous calls would take five times the CPU time.
    return readFileSync(path, 'latin1')
  } catch (error) {
    throw new UnusableCertificate(await reasonOf(path), { cause: error })
  }
}

/** Short, because there are three for each certificate in memory. */
const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest().toString('latin1', 0, 16)

const exported = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

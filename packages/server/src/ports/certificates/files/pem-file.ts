import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { certificatesIn, checkCertificate, keysIn, UnusableCertificate } from '../check.js'
import type { Certificate } from '../port.js'
import { reasonOf, type FoundFile } from './list.js'

/** What a file has. Digests only: parsed certificates and keys take many times the memory. */
export interface PemFile extends FoundFile {
  /** Its first certificate; undefined without one. */
  readonly first: FirstCertificate | undefined
  /** The digests of the public keys of its private keys. */
  readonly keys: readonly string[]
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

/** Reads a file. Never throws. */
export async function readPemFile(file: FoundFile): Promise<PemFile> {
  const { path, signature, isOfDirectory } = file
  const none = { path, signature, isOfDirectory, first: undefined, keys: [], problem: undefined }
  try {
    const text = await textOf(path)
    const chain = certificatesIn(text)
    const [leaf] = chain
    const first = leaf && {
      digest: digestOf(leaf.raw),
      publicKey: digestOfKey(leaf.publicKey),
      chainLength: chain.length,
      isIssuer: leaf.ca,
    }
    const keys = keysIn(text).map((key) => digestOfKey(createPublicKey(key)))
    const isNothing = first === undefined && keys.length === 0
    return { ...none, first, keys, problem: isNothing && !isOfDirectory ? 'It has no PEM text.' : undefined }
  } catch (error) {
    if (error instanceof UnusableCertificate) return { ...none, problem: error.message }
    throw error
  }
}

/** Reads and checks a certificate and its key. @throws UnusableCertificate */
export async function readPair(certificateFile: string, { path, publicKey }: KeyPlace): Promise<Certificate> {
  const chain = certificatesIn(await textOf(certificateFile))
  const key = keysIn(await textOf(path)).find((one) => digestOfKey(createPublicKey(one)) === publicKey)
  if (key === undefined) throw new UnusableCertificate(`The private key in ${path} does not fit the certificate.`)
  return checkCertificate(chain, key)
}

/** A private key: the file, and the digest of its public key. */
export interface KeyPlace {
  readonly path: string
  readonly publicKey: string
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1')
  } catch (error) {
    throw new UnusableCertificate(await reasonOf(path), { cause: error })
  }
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64').slice(0, 22)

const digestOfKey = (key: KeyObject): string => digestOf(key.export({ type: 'spki', format: 'der' }))

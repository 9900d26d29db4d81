import type { FileProblem } from './list.js'
import type { KeyPlace, PemFile } from './pem-file.js'

/** A file with a certificate, and where its key is. */
export interface Pair {
  readonly certificate: PemFile
  readonly key: KeyPlace
}

interface Paired {
  readonly pairs: readonly Pair[]
  readonly problems: readonly FileProblem[]
}

/**
 * Finds the private key of each certificate by the public key, so the names of the files do not matter. Of several files with one
 * certificate, such as cert.pem and fullchain.pem of certbot, the one with the longest chain is used.
 */
export function pair(files: readonly PemFile[]): Paired {
  const keys = new Map<string, KeyPlace>()
  for (const { path, keys: own } of files) for (const publicKey of own) keys.set(publicKey, { path, publicKey })
  const pairs = new Map<string, Pair>()
  const problems: FileProblem[] = []
  for (const file of files) {
    if (file.problem !== undefined) problems.push({ path: file.path, message: file.problem })
    if (file.first === undefined) continue
    const { digest, publicKey, chainLength, isIssuer } = file.first
    // Its own key is known to fit, or is checked later.
    const key = file.keys.includes(publicKey) ? { path: file.path, publicKey } : keys.get(publicKey)
    if (key === undefined) {
      // In a directory, the certificates of issuers have no keys.
      if (!(isIssuer && file.isOfDirectory)) problems.push({ path: file.path, message: noKey })
      continue
    }
    const other = pairs.get(digest)?.certificate.first?.chainLength ?? 0
    if (chainLength > other) pairs.set(digest, { certificate: file, key })
  }
  return { pairs: [...pairs.values()], problems }
}

const noKey = 'No private key fits its certificate: set SVC_TLS_KEY to the file or the directory of the key.'

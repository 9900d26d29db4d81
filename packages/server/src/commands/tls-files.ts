import { pino } from 'pino'
import { FileCertificates, readOnce, type CertificatePlaces } from '../ports/certificates/files/file-certificates.js'
import { certificatesIn, issuerOf } from '../ports/certificates/check.js'
import { isExpired } from '../ports/certificates/port.js'
import { timestamp } from '../shared/timestamp.js'
import type { CertificateState } from './tls.js'

/** A certificate of SVC_TLS_CERT, or a file that cannot be used. */
export interface FileState extends Omit<CertificateState, 'next_attempt'> {
  /** Its path. */
  readonly file: string
  /** Null: svc does not renew it. */
  readonly next_attempt: null
}

const ofNoAccount = { account: null, renew_at: null, next_attempt: null } as const

/** The certificates of SVC_TLS_CERT in the order of their ends, and then the files that cannot be used. */
export async function fileCertificates(places: CertificatePlaces): Promise<readonly FileState[]> {
  const files = await FileCertificates.open(places, pino({ level: 'silent' }), readOnce)
  await files.close()
  const { byPath } = files
  const errors = new Map<string, string>()
  for (const { path, message } of files.problems)
    errors.set(path, errors.has(path) ? `${errors.get(path) ?? ''} ${message}` : message)
  const served = [...byPath].toSorted(([, a], [, b]) => a.validUntil - b.validUntil)
  const unused = [...errors].filter(([file]) => !byPath.has(file))
  return [
    ...served.map(([file, certificate]): FileState => ({
      ...ofNoAccount,
      file,
      names: certificate.names,
      issuer: issuerIn(certificate.pem().chain),
      not_after: timestamp(certificate.validUntil),
      status: isExpired(certificate) ? 'failed' : 'issued',
      error: errors.get(file) ?? null,
    })),
    ...unused.map(([file, error]): FileState => ({
      ...ofNoAccount,
      file,
      names: [],
      issuer: null,
      not_after: null,
      status: 'failed',
      error,
    })),
  ]
}

const issuerIn = (chain: string): string | null => certificatesIn(chain).slice(0, 1).map(issuerOf)[0] ?? null

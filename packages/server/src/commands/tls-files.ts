import { pino } from 'pino'
import { certificatesIn, issuerOf } from '../ports/certificates/check.js'
import { FileCertificates, readOnce, type CertificatePlaces } from '../ports/certificates/files/file-certificates.js'
import { timestamp } from '../shared/timestamp.js'

/** A line for each certificate of SVC_TLS_CERT in the order of their ends, and then for each file that cannot be used. */
export async function fileCertificateLines(places: CertificatePlaces): Promise<readonly string[]> {
  const files = await FileCertificates.open(places, pino({ level: 'silent' }), readOnce)
  const all = [...files.all()].toSorted((a, b) => a.validUntil - b.validUntil)
  const lines = [
    ...all.map(
      (one) => `${one.names.join(' ')}: issued by ${issuerIn(one.pem().chain)}, until ${timestamp(one.validUntil)}`,
    ),
    ...files.problems.map(({ path, message }) => `${path}: ${message}`),
  ]
  await files.close()
  return lines
}

const issuerIn = (chain: string): string => certificatesIn(chain).slice(0, 1).map(issuerOf)[0] ?? 'unknown'

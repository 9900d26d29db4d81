import { pino } from 'pino'
import { FileCertificates, type CertificatePlaces } from '../ports/certificates/files/file-certificates.js'
import { timestamp } from '../shared/timestamp.js'

/** A line for each certificate of SVC_TLS_CERT in the order of their ends, and then for each file that cannot be used. */
export async function fileCertificateLines(places: CertificatePlaces): Promise<readonly string[]> {
  const files = await FileCertificates.open(places, pino({ level: 'silent' }), false)
  const all = [...files.all()].toSorted((a, b) => a.validUntil - b.validUntil)
  const lines = [
    ...all.map(
      ({ names, issuer, validUntil }) => `${names.join(' ')}: issued by ${issuer}, until ${timestamp(validUntil)}`,
    ),
    ...files.problems.map(({ path, message }) => `${path}: ${message}`),
  ]
  await files.close()
  return lines
}

import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { OperatorError } from '../../../shared/operator-error.js'
import { FileCertificates, type CertificatePlaces } from './file-certificates.js'

/**
 * Loads the certificates of the settings, and follows their files. A directory may still be empty: the certificates that come later are
 * served.
 * @throws OperatorError for a file that cannot be used
 */
export async function openCertificates(
  places: CertificatePlaces,
  log: Pick<Logger, 'error'>,
): Promise<FileCertificates> {
  const certificates = await FileCertificates.open(places, log)
  const isEmpty = [...certificates.all()].length === 0
  if (isEmpty && statSync(places.certificates, { throwIfNoEntry: false })?.isDirectory() !== true) {
    await certificates.close()
    const problems = certificates.problems.map(({ path, message }) => `${path}: ${message}`)
    throw new OperatorError(`The certificate of SVC_TLS_CERT cannot be used. ${problems.join(' ')}`, 2)
  }
  return certificates
}

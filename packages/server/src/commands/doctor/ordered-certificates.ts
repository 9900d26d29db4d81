import { X509Certificate } from 'node:crypto'
import type { Reader } from '../../db/port.js'
import { certificateList, type ListedCertificate } from '../../ports/certificates/acme/certificate-store.js'
import type { Report } from './finding.js'

/**
 * Reports the certificates that svc could not order or renew, with the words of the CA.
 * @param database undefined if it cannot be read, which its section reports
 * @returns the names of those that are valid
 */
export async function reportOrdered(
  database: Reader | undefined,
  report: Report,
): Promise<readonly (readonly string[])[]> {
  if (database === undefined) return []
  const all = await certificateList(database)
  for (const one of all) reportError(one, report)
  return all.filter((one) => isValid(one)).map(({ names }) => names)
}

/** Whether one of the certificates is for a host, if only by a wildcard. */
export const isCovered = (host: string, certificates: readonly (readonly string[])[]): boolean =>
  certificates.some((names) => names.includes(host) || names.includes(`*${host.slice(host.indexOf('.'))}`))

const endOf = ({ chain }: ListedCertificate): number =>
  chain === null ? 0 : Date.parse(new X509Certificate(chain).validTo)

const isValid = (certificate: ListedCertificate): boolean => endOf(certificate) > Date.now()

function reportError(certificate: ListedCertificate, report: Report): void {
  const { names, error, nextAt } = certificate
  if (error === null) return
  const named = names.join(' and ')
  const remedy = `svc tries again at ${new Date(nextAt).toISOString()}; svc tls renew ${names.at(-1) ?? ''} does it now.`
  if (isValid(certificate)) {
    const until = new Date(endOf(certificate)).toISOString().slice(0, 10)
    report.warning(`The certificate for ${named} is valid until ${until}, but could not be renewed. ${error}`, remedy)
  } else report.error(`There is no valid certificate for ${named}. ${error}`, remedy)
}

import { CertificateMap } from '../src/ports/certificates/certificate-map.js'
import { ServedCertificate } from '../src/ports/certificates/served-certificate.js'
import { testAuthority } from './test-authority.js'

/** Certificates in memory, of an authority that no client trusts, for these names. */
export function certificatesFor(...names: readonly string[]): CertificateMap {
  const authority = testAuthority()
  const { chain, key } = authority.issue(names)
  authority.remove()
  const map = new CertificateMap()
  const facts = { validUntil: Date.now() + 86_400_000, since: Date.now(), isOfAccount: false, isEnding: false }
  map.replace([new ServedCertificate({ names, ...facts }, { chain, key })])
  return map
}

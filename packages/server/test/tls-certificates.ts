import { CertificateMap } from '../src/ports/certificates/certificate-map.js'
import { certificatesIn, checkCertificate, keysIn } from '../src/ports/certificates/check.js'
import { testAuthority } from './test-authority.js'

/** Certificates in memory, of an authority that no client trusts, for these names. */
export function certificatesFor(...names: readonly string[]): CertificateMap {
  const authority = testAuthority()
  const { chain, key } = authority.issue(names)
  authority.remove()
  const [privateKey] = keysIn(key)
  if (privateKey === undefined) throw new Error('no key')
  const map = new CertificateMap()
  map.replace([checkCertificate(certificatesIn(chain), privateKey)])
  return map
}

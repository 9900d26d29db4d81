import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { CertificateLight } from '../../parts/certificates/certificate-light.js'
import { certificatesQuery } from '../../parts/certificates/queries.js'
import { stateText } from '../../parts/certificates/state.js'

/** The state of a zone's certificate, as a link to it. Nothing if the server orders none. */
export function ZoneCertificate({ zone }: { readonly zone: string }) {
  const { data } = useQuery(certificatesQuery)
  if (data === undefined) return null
  const found = data.certificates.find((certificate) => certificate.zone === zone)
  const name = encodeURIComponent(zone)
  if (found !== undefined)
    return (
      <Anchor component={Link} to={`/certificates?q=${name}`} lh={1}>
        <CertificateLight certificate={found} text={`Certificate: ${stateText(found).toLowerCase()}`} />
      </Anchor>
    )
  if (data.unavailable !== null) return null
  return (
    <Anchor component={Link} to={`/certificates?get=${name}`} size="sm">
      Get a certificate
    </Anchor>
  )
}

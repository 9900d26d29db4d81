import { Anchor, Badge } from '@mantine/core'
import { Link } from 'react-router'
import { CertificateLight } from '../../parts/certificates/certificate-light.js'
import type { Certificates } from '../../parts/certificates/queries.js'
import { certificateOf, levelOf, nameOf, stateText, type Certificate } from '../../parts/certificates/state.js'
import { Hint } from '../../parts/text.js'

interface Props {
  readonly host: string
  readonly certificates: Certificates
}

/** Whether a host is served with HTTPS, with a link to its certificate. Nothing if the server orders no certificates: a proxy may have them. */
export function DomainHttps({ host, certificates: { certificates, unavailable } }: Props) {
  if (unavailable !== null) return null
  const found = certificateOf(certificates, host)
  if (found === undefined)
    return (
      <Badge variant="dot" color="blue">
        HTTPS is being ordered
      </Badge>
    )
  return (
    <>
      <Anchor component={Link} to={`/certificates?q=${encodeURIComponent(nameOf(found))}`} lh={1}>
        <CertificateLight certificate={found} text={httpsText(found)} />
      </Anchor>
      {found.error !== null && levelOf(found) !== 'ordering' && <Hint>{found.error}</Hint>}
    </>
  )
}

const httpsText = (certificate: Certificate): string =>
  ({
    failed: certificate.not_after === null ? 'HTTPS failed' : `HTTPS ${stateText(certificate).toLowerCase()}`,
    ending: `HTTPS ${stateText(certificate).toLowerCase()}`,
    late: 'HTTPS works, but is not renewed',
    waiting: 'HTTPS waits',
    ordering: 'HTTPS is being ordered',
    valid: 'HTTPS works',
  })[levelOf(certificate)]

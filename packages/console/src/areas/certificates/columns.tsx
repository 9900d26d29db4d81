import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { CertificateLight } from '../../parts/certificates/certificate-light.js'
import { levelOf, nameOf, stateText, type Certificate } from '../../parts/certificates/state.js'
import { actionsColumn } from '../../parts/columns.js'
import type { Column } from '../../parts/data-table.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { formatDate } from '../../parts/format.js'
import { expiryText } from '../../parts/registration/expiry.js'
import { Hint } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { CertificateActions } from './actions.js'

/** The zone or the host, then the other names. */
function Names(certificate: Certificate) {
  const name = nameOf(certificate)
  return (
    <>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <DecodedName text={name} />
      {certificate.names
        .filter((other) => other !== name)
        .map((other) => (
          <Hint key={other}>{other}</Hint>
        ))}
    </>
  )
}

/** The page of what it is for. */
function Purpose({ zone, site }: Certificate) {
  return zone === null ? (
    <Anchor component={Link} to={`/sites/${encodeURIComponent(site ?? '')}`} inherit>
      Site {site}
    </Anchor>
  ) : (
    <Anchor component={Link} to={`/dns/${encodeURIComponent(zone)}`} inherit aria-label={`Zone ${zone}`}>
      Zone
    </Anchor>
  )
}

/** The light, then why the last order failed, and when the next one begins. */
function Status(certificate: Certificate) {
  const { error, next_attempt: next } = certificate
  const isShown = error !== null && levelOf(certificate) !== 'ordering'
  return (
    <Stack gap={4} align="flex-start">
      <CertificateLight certificate={certificate} />
      {isShown && <Text size="sm">{error}</Text>}
      {isShown && next !== null && (
        <Hint>
          Next attempt <TimeAgo at={next} />
        </Hint>
      )}
    </Stack>
  )
}

function End({ not_after: end, renew_at: renewal, error }: Certificate) {
  if (end === null)
    return (
      <Text size="sm" c="dimmed">
        –
      </Text>
    )
  return (
    <>
      <Text size="sm">{expiryText(end)}</Text>
      <Text size="xs" c="dimmed" component="time" dateTime={end}>
        {formatDate(end)}
      </Text>
      {error === null && renewal !== null && <Hint>renewal {formatDate(renewal)}</Hint>}
    </>
  )
}

export const columns: readonly Column<Certificate>[] = [
  { key: 'names', header: 'Names', sortBy: nameOf, cell: Names },
  {
    key: 'for',
    header: 'For',
    wideOnly: true,
    sortBy: ({ zone, site }) => (zone === null ? `site ${site ?? ''}` : 'zone'),
    cell: Purpose,
  },
  { key: 'status', header: 'Status', width: '38%', sortBy: (certificate) => stateText(certificate), cell: Status },
  {
    key: 'not_after',
    header: 'Ends',
    wideOnly: true,
    sortBy: ({ not_after: end }) => (end === null ? Infinity : Date.parse(end)),
    cell: End,
  },
  {
    key: 'issuer',
    header: 'Issuer',
    wideOnly: true,
    sortBy: ({ issuer }) => issuer ?? '',
    cell: ({ issuer }) => issuer ?? '–',
  },
  actionsColumn((certificate) => <CertificateActions certificate={certificate} />, 60),
]

/** A row on a phone. */
export const CertificateLines = (certificate: Certificate) => (
  <Stack gap={4} align="flex-start">
    <div>{Names(certificate)}</div>
    {Status(certificate)}
    <Text size="xs" c="dimmed" component="div">
      {Purpose(certificate)}
      {certificate.not_after !== null && ` · ends ${expiryText(certificate.not_after)} · ${certificate.issuer ?? ''}`}
    </Text>
  </Stack>
)

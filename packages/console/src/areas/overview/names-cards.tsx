import { Badge, Stack, Text } from '@mantine/core'
import { IconCalendarEvent, IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { zonePath } from '../domains/domain-actions.js'
import { attentionDays, needsAttention } from '../domains/expiry.js'
import { Expiry } from '../domains/expiry-view.js'
import { domainsQuery } from '../domains/queries.js'
import { Calm, Card, More, Row, rowsMax } from './card.js'
import { zonesQuery, type Zone } from './queries.js'

/** Domains that have expired, or expire soon. */
export function ExpiringDomains() {
  const query = useQuery(domainsQuery)
  return (
    <Card
      title="Expiring domains"
      icon={IconCalendarEvent}
      link={{ label: 'All domains', path: '/domains' }}
      query={query}
    >
      {({ domains }) => {
        const expiring = domains.filter(({ expires_at }) => needsAttention(expires_at))
        if (domains.length === 0)
          return <Calm>Add the domains of all your registrars, and see here which expire next.</Calm>
        if (expiring.length === 0) return <Calm>No domain expires in the next {attentionDays} days.</Calm>
        return (
          <Stack gap="sm">
            {expiring.slice(0, rowsMax).map(({ id, domain, registrar, note, expires_at }) => (
              <Row
                key={id}
                path={`/domains?domain=${encodeURIComponent(domain)}`}
                name={domain}
                detail={note === '' ? registrar : note}
              >
                <Text component="div" c="var(--mantine-color-text)">
                  <Expiry at={expires_at} />
                </Text>
              </Row>
            ))}
            <More count={expiring.length} path="/domains" />
          </Stack>
        )
      }}
    </Card>
  )
}

/** What the user does next to prove control. */
function nextStep({ note, name, expected_ns }: Zone['verification']): string {
  if (note !== undefined) return note
  if (name !== undefined) return `Next: publish the TXT record at ${name}.`
  return `Next: set the nameservers ${expected_ns.join(', ')} at the registrar.`
}

/** Zones whose control is not proven yet, each with the next step. */
export function PendingZones() {
  const query = useQuery(zonesQuery)
  return (
    <Card title="Zones to verify" icon={IconWorld} link={{ label: 'All zones', path: '/dns' }} query={query}>
      {({ zones }) => {
        const pending = zones.filter(({ status }) => status === 'pending')
        if (zones.length === 0) return <Calm>Claim a zone to manage its DNS records here.</Calm>
        if (pending.length === 0) return <Calm>All zones are verified.</Calm>
        return (
          <Stack gap="sm">
            {pending.slice(0, rowsMax).map(({ zone, verification }) => (
              <Row key={zone} path={zonePath(zone)} name={zone} detail={nextStep(verification)}>
                <Badge variant="light" color="orange" size="sm">
                  Pending
                </Badge>
              </Row>
            ))}
            <More count={pending.length} path="/dns?status=pending" />
          </Stack>
        )
      }}
    </Card>
  )
}

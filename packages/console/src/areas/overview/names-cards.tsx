import { Badge, Stack, Text } from '@mantine/core'
import { IconCalendarEvent, IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { nextStep } from '../dns/next-step.js'
import { zonesQuery } from '../dns/queries.js'
import { zonePath } from '../domains/domain-actions.js'
import { attentionDays, needsAttention } from '../../parts/registration/expiry.js'
import { Expiry } from '../../parts/registration/expiry-view.js'
import { domainsQuery } from '../../parts/registration/queries.js'
import { CardText, Card, More, Row, rowsMax } from './card.js'

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
          return <CardText>Add the domains of all your registrars, and see here which expire next.</CardText>
        if (expiring.length === 0) return <CardText>No domain expires in the next {attentionDays} days.</CardText>
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

/** Zones whose control is not proven yet, each with the next step. */
export function PendingZones() {
  const query = useQuery(zonesQuery)
  return (
    <Card title="Zones to verify" icon={IconWorld} link={{ label: 'All zones', path: '/dns' }} query={query}>
      {({ zones }) => {
        const pending = zones.filter(({ status }) => status === 'pending')
        if (zones.length === 0) return <CardText>Claim a zone to manage its DNS records here.</CardText>
        if (pending.length === 0) return <CardText>All zones are verified.</CardText>
        return (
          <Stack gap="sm">
            {pending.slice(0, rowsMax).map((claim) => (
              <Row key={claim.zone} path={zonePath(claim.zone)} name={claim.zone} detail={nextStep(claim)}>
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

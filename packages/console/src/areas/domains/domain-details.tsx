import { Anchor, Button, Divider, Drawer, Group, Skeleton, Stack } from '@mantine/core'
import { IconId, IconRefresh, IconTrash, IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { DecodedName } from '../../parts/decoded-name.js'
import { Fact } from '../../parts/fact.js'
import { formatDate } from '../../parts/format.js'
import { TimeAgo } from '../../parts/time.js'
import { Dnssec, Facts, Nameservers, notPublished, Statuses } from '../../parts/registration/facts.js'
import { type Domain, registrationQuery } from '../../parts/registration/queries.js'
import { removeDomain, useHasZone, useRefresh, whoisPath, zonePath } from './domain-actions.js'
import { Expiry } from '../../parts/registration/expiry-view.js'
import { NoteEditor } from './note-editor.js'

interface Props {
  readonly domain: Domain | undefined
  readonly onClose: () => void
}

/** All that is known about a domain of the portfolio. */
export function DomainDetails({ domain, onClose }: Props) {
  return (
    <Drawer opened={domain !== undefined} onClose={onClose} position="right" size="md" title={domain?.domain}>
      {domain && <Details domain={domain} onClose={onClose} />}
    </Drawer>
  )
}

function Details({ domain, onClose }: { readonly domain: Domain; readonly onClose: () => void }) {
  const refresh = useRefresh(domain)
  const hasZone = useHasZone(domain.domain)
  return (
    <Stack>
      <DecodedName text={domain.domain} />
      <Facts>
        <Fact label="Expiry">
          <Expiry at={domain.expires_at} unknown="Not published" />
        </Fact>
        <Fact label="Registrar">{domain.registrar ?? notPublished}</Fact>
        <Fact label="Registered">
          {domain.registered_at === null ? notPublished : formatDate(domain.registered_at)}
        </Fact>
        <Fact label="Refreshed from the registry">
          <TimeAgo at={domain.synced_at} never="not yet" />
        </Fact>
        <Fact label="DNSSEC">
          <SignedDelegation name={domain.domain} />
        </Fact>
        <Fact label="Note">
          <NoteEditor domain={domain} />
        </Fact>
      </Facts>
      <Fact label="Nameservers">
        <Nameservers names={domain.nameservers} />
      </Fact>
      <Fact label="Status">
        <Statuses statuses={domain.statuses} />
      </Fact>
      <Divider />
      <Group gap="xs">
        <Button
          size="xs"
          leftSection={<IconRefresh size={16} />}
          loading={refresh.isPending}
          onClick={() => refresh.mutate()}
        >
          Refresh from the registry
        </Button>
        {hasZone && (
          <Button
            size="xs"
            variant="default"
            component={Link}
            to={zonePath(domain.domain)}
            leftSection={<IconWorld size={16} />}
          >
            DNS records
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          component={Link}
          to={whoisPath(domain.domain)}
          leftSection={<IconId size={16} />}
        >
          Registration data
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTrash size={16} />}
          onClick={() => {
            onClose()
            void removeDomain(domain)
          }}
        >
          Remove from your domains
        </Button>
      </Group>
    </Stack>
  )
}

/** The portfolio does not keep this: it comes from a lookup, which the server caches. */
function SignedDelegation({ name }: { readonly name: string }) {
  const { data, isPending } = useQuery(registrationQuery(name))
  if (isPending) return <Skeleton width={80} height={18} />
  if (data) return <Dnssec isSigned={data.dnssec} />
  return (
    <>
      unknown:{' '}
      <Anchor component={Link} to={whoisPath(name)} underline="always" inherit>
        look it up
      </Anchor>
    </>
  )
}

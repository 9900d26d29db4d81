import { timeColumn } from '../../parts/columns.js'
import { Anchor, Badge, Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core'
import { IconPlus, IconSearch, IconWorld } from '@tabler/icons-react'
import { areas, claimStatuses } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Link } from 'react-router'
import { DataTable, type Column } from '../../parts/data-table.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted } from '../../parts/format.js'
import { searchField } from '../../parts/key-targets.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import { useDialogInUrl, useFilter } from '../../parts/url-state.js'
import { ClaimZone } from './claim-zone.js'
import { nextStep } from './next-step.js'
import { zonesQuery, type ListedClaim } from './queries.js'

/** All zones of the account. */
export function ZonesPage() {
  const query = useQuery(zonesQuery)
  const dialog = useDialogInUrl('claim')
  const claim = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Claim a zone
    </Button>
  )
  return (
    <Page
      title="DNS zones"
      lead="Claim a domain, set its nameservers at your registrar, and manage its records here."
      actions={
        <>
          <Button component={Link} to="/dns/secondaries" variant="default">
            Secondary nameservers
          </Button>
          {claim}
        </>
      }
      requests={[{ op: areas.dns.zoneList }, { op: areas.dns.zoneClaim }]}
    >
      <ClaimZone opened={dialog.isOpen} onClose={dialog.close} />
      <QueryView query={query}>
        {({ zones }) =>
          zones.length === 0 ? (
            <EmptyState icon={IconWorld} title="No zones yet" action={claim}>
              A zone is a domain with its DNS records. Claim one, such as example.com, add its records, then set its
              nameservers at your registrar.
            </EmptyState>
          ) : (
            <Zones zones={zones} />
          )
        }
      </QueryView>
    </Page>
  )
}

const statusLabels = { all: 'All', verified: 'Verified', pending: 'Pending' } as const

function Zones({ zones }: { readonly zones: readonly ListedClaim[] }) {
  const [text, setText] = useFilter('q')
  const [status, setStatus] = useFilter('status')
  const wanted = useDeferredValue(text.trim().toLowerCase())
  const shown = zones.filter((claim) => claim.zone.includes(wanted) && (status === '' || claim.status === status))
  const pending = zones.filter((claim) => claim.status === 'pending').length
  return (
    <>
      <Group justify="space-between">
        <Group gap="xs">
          <TextInput
            {...searchField}
            aria-label="Filter by name"
            placeholder="Filter by name"
            leftSection={<IconSearch size={16} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            w={{ base: '100%', xs: 260 }}
          />
          <SegmentedControl
            aria-label="Status"
            value={status === '' ? 'all' : status}
            onChange={(value) => setStatus(value === 'all' ? '' : value)}
            data={(['all', ...claimStatuses] as const).map((value) => ({ value, label: statusLabels[value] }))}
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {shown.length === zones.length
            ? `${counted(zones.length, 'zone')}${pending > 0 ? `, ${String(pending)} pending` : ''}`
            : `${counted(shown.length, 'zone')} of ${String(zones.length)}`}
        </Text>
      </Group>
      <DataTable
        label="Zones"
        rows={shown}
        rowKey={({ zone }) => zone}
        columns={columns}
        empty={<Text c="dimmed">No zone matches this filter.</Text>}
      />
    </>
  )
}

const columns: readonly Column<ListedClaim>[] = [
  {
    key: 'zone',
    header: 'Zone',
    sortBy: ({ zone }) => zone,
    cell: ({ zone }) => (
      <>
        <Anchor component={Link} to={`/dns/${zone}`} fw={500} size="sm">
          {zone}
        </Anchor>
        <DecodedName text={zone} />
      </>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    width: 120,
    sortBy: ({ status }) => status,
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { key: 'next', header: 'Next step', wideOnly: true, cell: (claim) => <Note>{nextStep(claim)}</Note> },
  timeColumn('created_at', 'Claimed', { width: 140, wideOnly: true }),
]

/** Whether control of a zone is proven. */
export function StatusBadge({ status }: Pick<ListedClaim, 'status'>) {
  return (
    <Badge color={status === 'verified' ? 'teal' : 'orange'} variant="light" tt="none" c="var(--mantine-color-text)">
      {statusLabels[status]}
    </Badge>
  )
}

import { countColumn, timeColumn } from '../../parts/columns.js'
import { Anchor, Button, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { areas, deploymentKinds, type DeploymentKind } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Link } from 'react-router'
import { CopyIcon } from '../../parts/copy.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { formatCount } from '../../parts/format.js'
import { searchField } from '../../parts/key-targets.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint } from '../../parts/text.js'
import { useFilter, useItemInUrl } from '../../parts/url-state.js'
import { EnabledSwitch } from './enabled.js'
import { FailingState } from './failing-state.js'
import { kinds } from './kinds.js'
import { MostUsed } from './most-used.js'
import { NewDeployment } from './new-deployment.js'
import { deploymentsQuery, kindOf, pathOf, type Deployment } from './queries.js'
import { searched } from './search.js'

/** All forms, webhooks and short links of the account. */
export function DeploymentsPage() {
  const query = useQuery(deploymentsQuery)
  const [kind, setKind] = useFilter('kind')
  const filter = kindOf(kind)
  const creating = useItemInUrl('new')
  return (
    <Page
      title="Forms and links"
      lead="Collect the submissions of forms, receive and forward webhooks, and shorten links."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => creating.open(filter ?? 'form')}>
          {filter === undefined ? 'Create a form or link' : `Create a ${kinds[filter].noun}`}
        </Button>
      }
      requests={[
        { op: areas.deployments.list },
        { op: areas.deployments.create },
        { op: areas.deployments.toggle },
        { op: areas.deployments.delete },
      ]}
    >
      <NewDeployment kind={kindOf(creating.item)} onKind={creating.open} onClose={creating.close} />
      <QueryView query={query}>
        {(all) =>
          all.length === 0 ? (
            <NoDeployments onCreate={creating.open} />
          ) : (
            <Deployments all={all} filter={filter} onFilter={setKind} onCreate={creating.open} />
          )
        }
      </QueryView>
    </Page>
  )
}

/** The first page of a new account: what each kind is for. */
function NoDeployments({ onCreate }: { readonly onCreate: (kind: DeploymentKind) => void }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }}>
      {deploymentKinds.map((kind) => (
        <Paper key={kind} withBorder>
          <NoneOfKind kind={kind} onCreate={onCreate} />
        </Paper>
      ))}
    </SimpleGrid>
  )
}

interface KindProps {
  readonly kind: DeploymentKind
  readonly onCreate: (kind: DeploymentKind) => void
}

function NoneOfKind({ kind, onCreate }: KindProps) {
  const { icon, plural, noun, purpose } = kinds[kind]
  return (
    <EmptyState
      icon={icon}
      title={`No ${plural.toLowerCase()} yet`}
      action={
        <Button variant="light" onClick={() => onCreate(kind)}>
          Create a {noun}
        </Button>
      }
    >
      <Text size="sm" px="md">
        {purpose}
      </Text>
    </EmptyState>
  )
}

const everyKind = 'all'

interface ListProps {
  readonly all: readonly Deployment[]
  readonly filter: DeploymentKind | undefined
  /** Empty for all kinds. */
  readonly onFilter: (kind: DeploymentKind | '') => void
  readonly onCreate: (kind: DeploymentKind) => void
}

function Deployments({ all, filter, onFilter, onCreate }: ListProps) {
  const [search, setSearch] = useFilter('q')
  const wanted = useDeferredValue(search)
  const ofKind = filter === undefined ? all : all.filter(({ kind }) => kind === filter)
  const shown = searched(ofKind, wanted)
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <TextInput
            {...searchField}
            aria-label="Search forms and links"
            placeholder="Search"
            leftSection={<IconSearch size={16} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            w={{ base: '100%', xs: 260 }}
          />
          <SegmentedControl
            aria-label="Kind"
            size="xs"
            value={filter ?? everyKind}
            onChange={(value) => onFilter(kindOf(value) ?? '')}
            data={[
              { value: everyKind, label: 'All' },
              ...deploymentKinds.map((kind) => ({ value: kind, label: kinds[kind].plural })),
            ]}
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {shown.length === all.length
            ? `${formatCount(all.length)} in all`
            : `${formatCount(shown.length)} of ${formatCount(all.length)}`}
        </Text>
      </Group>
      {/* A search is for rows: they come first then. */}
      {wanted === '' && <MostUsed deployments={ofKind} />}
      <DataTable
        label="Forms and links"
        rows={shown}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          filter !== undefined && ofKind.length === 0 ? (
            <NoneOfKind kind={filter} onCreate={onCreate} />
          ) : (
            <Text c="dimmed">No form or link matches this search.</Text>
          )
        }
      />
    </Stack>
  )
}

const columns: readonly Column<Deployment>[] = [
  { key: 'slug', header: 'Address', sortBy: ({ slug }) => slug, cell: (deployment) => <Address {...deployment} /> },
  {
    key: 'target',
    header: 'Target',
    wideOnly: true,
    sortBy: ({ target }) => target ?? '',
    cell: ({ target }) => (
      <Text size="sm" truncate maw={260} title={target ?? ''}>
        {target ?? 'none'}
      </Text>
    ),
  },
  countColumn('uses', 'Uses', { width: 80 }),
  timeColumn('created_at', 'Created', { width: 140, wideOnly: true }),
  {
    key: 'enabled',
    header: 'Enabled',
    width: 90,
    sortBy: ({ enabled }) => Number(enabled),
    cell: (deployment) => <EnabledSwitch deployment={deployment} />,
  },
]

function Address(deployment: Deployment) {
  const { kind, slug, url, failing } = deployment
  const { icon: Icon, label } = kinds[kind]
  return (
    <Group gap="xs" wrap="nowrap">
      <Icon size={18} stroke={1.5} style={{ flexShrink: 0 }} />
      <div style={{ minWidth: 0 }}>
        <Group gap={2} wrap="nowrap">
          <Anchor component={Link} to={pathOf(deployment)} size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {slug}
          </Anchor>
          <CopyIcon value={url} what={`the address of ${slug}`} />
        </Group>
        <Hint>{label}</Hint>
        {failing && <FailingState failing={failing} />}
      </div>
    </Group>
  )
}

import { actionsColumn } from '../../parts/columns.js'
import { Anchor, Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCalendar, IconCalendarEvent, IconPlus, IconSearch } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { DataTable, type Column } from '../../parts/data-table.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted } from '../../parts/format.js'
import { searchField } from '../../parts/key-targets.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { TimeAgo } from '../../parts/time.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { AddDomains } from './add-domains.js'
import { CalendarDialog } from './calendar.js'
import { claimPath, DomainActions, useHasZone, zonePath } from './domain-actions.js'
import { DomainDetails } from './domain-details.js'
import { periodOf } from '../../parts/registration/expiry.js'
import { Expiry } from '../../parts/registration/expiry-view.js'
import { domainsQuery, type Domain } from '../../parts/registration/queries.js'
import { NoteEditor } from './note-editor.js'
import { Timeline } from './timeline.js'

/** The domain portfolio. */
export function DomainsPage() {
  const query = useQuery(domainsQuery)
  const adding = useDialogInUrl('add')
  const calendar = useDialogInUrl('calendar')
  const [parameters] = useSearchParams()
  const chosen = parameters.get('domain')
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={adding.open}>
      Add domains
    </Button>
  )
  return (
    <Page
      title="Domains"
      lead="The domains of all your registrars in one list, refreshed from the registries every night."
      actions={
        <>
          <Button variant="default" leftSection={<IconCalendar size={16} />} onClick={calendar.open}>
            Calendar
          </Button>
          {add}
        </>
      }
      requests={[
        { op: areas.domains.list },
        { op: areas.domains.whoisSync, ...(chosen !== null && { input: { domain: chosen } }) },
        { op: areas.domains.add },
      ]}
    >
      <AddDomains opened={adding.isOpen} onClose={adding.close} />
      <CalendarDialog opened={calendar.isOpen} onClose={calendar.close} />
      <QueryView query={query}>
        {({ domains }) =>
          domains.length === 0 ? (
            <EmptyState icon={IconCalendarEvent} title="No domains yet" action={add}>
              Paste the domains that you have registered, at any registrar. svc reads their expiry dates from the
              registries every night, and your calendar can remind you.
            </EmptyState>
          ) : (
            <Portfolio domains={domains} />
          )
        }
      </QueryView>
    </Page>
  )
}

function Portfolio({ domains }: { readonly domains: readonly Domain[] }) {
  const [parameters, setParameters] = useSearchParams()
  const set = (values: Readonly<Record<string, string | null>>) =>
    setParameters(
      (now) => {
        for (const [name, value] of Object.entries(values))
          if (value === null || value === '') now.delete(name)
          else now.set(name, value)
        return now
      },
      { replace: true, preventScrollReset: true },
    )
  // The address follows what is typed, but later than React shows it.
  const [text, setText] = useState(parameters.get('q') ?? '')
  const filter = (typed: string) => {
    setText(typed)
    set({ q: typed })
  }
  const period = parameters.get('expires')
  const shown = domains.filter(
    (domain) => matches(domain, text) && (period === null || periodOf(domain.expires_at) === period),
  )
  const opened = domains.find(({ domain }) => domain === parameters.get('domain'))
  return (
    <Stack>
      <Timeline domains={domains} chosen={period} onChoose={(chosen) => set({ expires: chosen })} />
      <Group justify="space-between">
        <TextInput
          {...searchField}
          aria-label="Filter by name, registrar, nameserver or note"
          placeholder="Name, registrar, nameserver or note"
          leftSection={<IconSearch size={16} />}
          rightSection={text !== '' && <CloseButton size="sm" aria-label="Clear" onClick={() => filter('')} />}
          w={{ base: '100%', xs: 320 }}
          value={text}
          onChange={(event) => filter(event.currentTarget.value)}
        />
        <Group gap="xs">
          <Text size="sm" c="dimmed" role="status">
            {shown.length === domains.length
              ? counted(domains.length, 'domain')
              : `${counted(shown.length, 'domain')} of ${counted(domains.length, 'domain')}`}
          </Text>
          {(period !== null || text !== '') && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                setText('')
                set({ expires: null, q: null })
              }}
            >
              Show all
            </Button>
          )}
        </Group>
      </Group>
      <DataTable
        label="Domains"
        rows={shown}
        rowKey={({ id }) => id}
        columns={columns}
        empty={<Text c="dimmed">No domain matches the filter.</Text>}
      />
      <DomainDetails domain={opened} onClose={() => set({ domain: null })} />
    </Stack>
  )
}

const matches = ({ domain, registrar, nameservers, note }: Domain, text: string): boolean =>
  [domain, registrar ?? '', note, ...nameservers].some((value) => value.toLowerCase().includes(text.toLowerCase()))

const columns: readonly Column<Domain>[] = [
  { key: 'domain', header: 'Domain', sortBy: ({ domain }) => domain, cell: ({ domain }) => <Name name={domain} /> },
  {
    key: 'expires_at',
    header: 'Expiry',
    sortBy: ({ expires_at }) => (expires_at === null ? Infinity : Date.parse(expires_at)),
    cell: ({ expires_at, synced_at }) => (
      <Expiry at={expires_at} unknown={synced_at === null ? 'Waiting for the registry' : 'Not published'} />
    ),
  },
  {
    key: 'registrar',
    header: 'Registrar',
    wideOnly: true,
    sortBy: ({ registrar }) => registrar ?? '',
    cell: ({ registrar }) => registrar ?? '–',
  },
  { key: 'note', header: 'Note', wideOnly: true, cell: (domain) => <NoteEditor domain={domain} /> },
  { key: 'zone', header: 'DNS', wideOnly: true, width: 90, cell: ({ domain }) => <ZoneLink name={domain} /> },
  {
    key: 'synced_at',
    header: 'Refreshed',
    wideOnly: true,
    width: 130,
    sortBy: ({ synced_at }) => synced_at ?? '',
    cell: ({ synced_at }) => <TimeAgo at={synced_at} never="not yet" />,
  },
  actionsColumn((domain) => <DomainActions domain={domain} />, 60),
]

/** Opens the details of a domain. */
function Name({ name }: { readonly name: string }) {
  const [parameters] = useSearchParams()
  const search = new URLSearchParams(parameters)
  search.set('domain', name)
  return (
    <>
      <Anchor component={Link} to={{ search: search.toString() }} preventScrollReset size="sm" fw={500}>
        {name}
      </Anchor>
      <DecodedName text={name} />
    </>
  )
}

function ZoneLink({ name }: { readonly name: string }) {
  const hasZone = useHasZone(name)
  return hasZone ? (
    <Anchor component={Link} to={zonePath(name)} size="sm" aria-label={`DNS records of ${name}`}>
      Records
    </Anchor>
  ) : (
    <Anchor component={Link} to={claimPath(name)} size="sm" c="dimmed" aria-label={`Claim the DNS zone ${name}`}>
      Claim
    </Anchor>
  )
}

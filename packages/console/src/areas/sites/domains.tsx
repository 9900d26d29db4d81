import { Anchor, Badge, Button, Code, Group, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { client } from '../../parts/api/client.js'
import { certificatesQuery, type Certificates } from '../../parts/certificates/queries.js'
import { actionsColumn } from '../../parts/columns.js'
import { Confirm } from '../../parts/confirm.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint, Note, SectionTitle } from '../../parts/text.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { AddDomain } from './add-domain.js'
import { DomainHttps } from './domain-https.js'
import { domainsQuery, refreshSites, type Domain } from './queries.js'

/** The hosts in zones of the account at which a site is served besides its own address. */
export function Domains({ name }: { readonly name: string }) {
  const query = useQuery(domainsQuery)
  const { data: certificates } = useQuery(certificatesQuery)
  const columns = useMemo(() => columnsOf(certificates), [certificates])
  const dialog = useDialogInUrl('domain')
  const add = (
    <Button size="xs" variant="default" leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Add a domain
    </Button>
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SectionTitle>Domains</SectionTitle>
        {add}
      </Group>
      <AddDomain name={name} opened={dialog.isOpen} onClose={dialog.close} />
      <QueryView query={query}>
        {({ domains }) => (
          <DataTable
            label="Domains"
            rows={domains.filter((domain) => domain.name === name)}
            rowKey={({ host }) => host}
            columns={columns}
            empty={
              <Note>
                No domain yet. Serve the site at a name in one of your verified zones, such as{' '}
                <code>www.example.com</code>: svc creates the DNS records.
              </Note>
            }
          />
        )}
      </QueryView>
    </Stack>
  )
}

/** @param certificates undefined until they are read */
const columnsOf = (certificates: Certificates | undefined): readonly Column<Domain>[] => [
  {
    key: 'host',
    header: 'Host',
    sortBy: ({ host }) => host,
    cell: ({ host, zone, active }) => (
      <>
        <Group gap="xs">
          <Anchor href={`//${host}/`} target="_blank" rel="noreferrer" size="sm" fw={500}>
            {host}
          </Anchor>
          <Badge size="sm" variant="light" color={active ? 'teal' : 'orange'}>
            {active ? 'Active' : 'Inactive'}
          </Badge>
          {active && certificates && <DomainHttps host={host} certificates={certificates} />}
        </Group>
        <DecodedName text={host} />
        {!active && <Hint>Not served: {zone} is not verified for your account. Verify it again under DNS.</Hint>}
      </>
    ),
  },
  {
    key: 'records',
    header: 'DNS records created for it',
    wideOnly: true,
    cell: ({ records }) =>
      records.length === 0 ? (
        <Note>none</Note>
      ) : (
        <Stack gap={2}>
          {records.map(({ type, value }) => (
            <Code key={`${type} ${value}`}>
              {type} {value}
            </Code>
          ))}
        </Stack>
      ),
  },
  actionsColumn((domain) => <Remove {...domain} />),
]

function Remove({ host, records }: Domain) {
  return (
    <Confirm
      title={`Remove ${host}?`}
      action="Remove the domain"
      run={async () => {
        await client.sites.domainRemove({ host })
        await refreshSites()
        notifyDone(`${host} is removed.`)
      }}
      trigger={(open) => (
        <Button size="compact-sm" variant="subtle" color="red" onClick={open} aria-label={`Remove ${host}`}>
          Remove
        </Button>
      )}
    >
      The site is not served at {host} any more
      {records.length > 0 ? ', and the DNS records that were created for it are removed.' : '.'} The site keeps its
      other addresses.
    </Confirm>
  )
}

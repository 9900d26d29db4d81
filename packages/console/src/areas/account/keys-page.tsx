import { Badge, Button, Code, Group, Text } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { actionsColumn, timeColumn } from '../../parts/columns.js'
import { Confirm } from '../../parts/confirm.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useRowInUrl } from '../../parts/use-row-in-url.js'
import { NewKey } from './new-key.js'
import { keysQuery } from './queries.js'
import { scopeText } from './scopes.js'

type Key = Awaited<ReturnType<typeof client.keys.list>>['keys'][number]

/** API keys: the contract calls them tokens. */
export function KeysPage() {
  const query = useQuery(keysQuery)
  const dialog = useDialogInUrl('new')
  const found = useRowInUrl('key')
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Create an API key
    </Button>
  )
  return (
    <Page
      title="API keys"
      lead="A key lets a script, a CI job or an AI agent use the API as you, within its scopes."
      above={{ label: 'Account', path: '/account' }}
      actions={create}
      requests={[{ op: areas.account.me }]}
    >
      <NewKey opened={dialog.isOpen} onClose={dialog.close} />
      <QueryView query={query}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon={IconKey} title="No API keys yet" action={create}>
              Create one for each program, with only the scopes that it needs. Then you can revoke a lost key without
              stopping the other programs.
            </EmptyState>
          ) : (
            <DataTable label="API keys" rows={keys} rowKey={({ id }) => id} columns={columns} changed={found} />
          )
        }
      </QueryView>
    </Page>
  )
}

const columns: readonly Column<Key>[] = [
  {
    key: 'name',
    header: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ name, prefix }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Code style={{ whiteSpace: 'nowrap' }}>{prefix}…</Code>
      </>
    ),
  },
  { key: 'scopes', header: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  timeColumn('last_used_at', 'Last used', { wideOnly: true }),
  timeColumn('created_at', 'Created', { wideOnly: true }),
  actionsColumn((key) => <Revoke {...key} />),
]

function Scopes({ scopes }: { readonly scopes: Key['scopes'] }) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} variant="light" size="sm" tt="none" miw="max-content">
          {scopeText(scope)}
        </Badge>
      ))}
    </Group>
  )
}

function Revoke({ id, name }: Key) {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action="Revoke the key"
      run={async () => {
        await client.keys.revoke({ id })
        await queryClient.invalidateQueries(keysQuery)
        notifyDone(`${name} is revoked.`)
      }}
      trigger={(open) => (
        <Button size="compact-sm" variant="subtle" color="red" onClick={open} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      )}
    >
      Programs that use this key are refused from their next request on. A revoked key cannot be restored.
    </Confirm>
  )
}

import { Badge, Button, Code, Group, Menu, Stack, Text } from '@mantine/core'
import {
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { actionsColumn, timeColumn } from '../../parts/columns.js'
import { Confirm } from '../../parts/confirm.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted } from '../../parts/format.js'
import { keysQuery } from '../../parts/keys-query.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { RowMenu } from '../../parts/row-menu.js'
import { useDialogInUrl, useItemInUrl } from '../../parts/url-state.js'
import { useRowInUrl } from '../../parts/use-row-in-url.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { EditKey } from './edit-key.js'
import type { Key } from './limit-fields.js'
import { NewKey } from './new-key.js'
import { RotateKey } from './rotate-key.js'
import { ruleText } from './rules.js'
import { scopeText } from './scopes.js'

/** API keys: the contract calls them tokens. */
export function KeysPage() {
  const query = useQuery(keysQuery)
  const dialog = useDialogInUrl('new')
  const found = useRowInUrl('key')
  const edited = useItemInUrl('edit')
  const rotated = useItemInUrl('rotate')
  const keyOf = ({ item }: { readonly item: string | undefined }) =>
    query.data?.keys.find(({ id }) => String(id) === item)
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
      <EditKey apiKey={keyOf(edited)} onClose={edited.close} />
      <RotateKey apiKey={keyOf(rotated)} onClose={rotated.close} />
      <QueryView query={query}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon={IconKey} title="No API keys yet" action={create}>
              Create one for each program, with only the scopes that it needs. Then you can revoke a lost key without
              stopping the other programs.
            </EmptyState>
          ) : (
            <DataTable
              label="API keys"
              rows={keys}
              rowKey={({ id }) => id}
              columns={columnsOf({ edit: edited.open, rotate: rotated.open })}
              changed={found}
              lines={KeyLines}
            />
          )
        }
      </QueryView>
    </Page>
  )
}

interface Opens {
  readonly edit: (id: number) => void
  readonly rotate: (id: number) => void
}

const columnsOf = (opens: Opens): readonly Column<Key>[] => [
  { key: 'name', header: 'Name', sortBy: ({ name }) => name, cell: (key) => <Name {...key} /> },
  { key: 'scopes', header: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  { key: 'status', header: 'Status', sortBy: ({ status }) => status, cell: (key) => <Status {...key} /> },
  timeColumn('last_used_at', 'Last used', { wideOnly: true }),
  timeColumn('created_at', 'Created', { wideOnly: true }),
  actionsColumn((key) => <Actions apiKey={key} opens={opens} />),
]

/** A key on a phone. */
const KeyLines = (key: Key) => (
  <Stack gap={4} align="flex-start">
    <Name {...key} />
    <Scopes scopes={key.scopes} />
    <Status {...key} />
  </Stack>
)

const Name = ({ name, prefix, tsig }: Key) => (
  <div>
    <Text size="sm" fw={500}>
      {name}
    </Text>
    <Code style={{ whiteSpace: 'nowrap' }}>{tsig?.name ?? `${prefix}…`}</Code>
    {tsig && (
      <Text size="xs" c="dimmed">
        TSIG, {tsig.algorithm}
      </Text>
    )}
  </div>
)

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

const statusColors = { active: 'green', paused: 'yellow', expired: 'gray', unused: 'gray' } as const

/** Whether the key works, and what limits it. */
function Status({ status, expires_at: end, unused_days: days, networks, rules, has_update_key: hasUrl }: Key) {
  const limits = [
    rules !== null && `only ${ruleText(rules)}`,
    hasUrl && 'has an update URL',
    end !== null && `${status === 'expired' ? 'ended' : 'ends'} ${end.slice(0, 10)}, ${end.slice(11, 16)} UTC`,
    days !== null && `ends after ${counted(days, 'day')} without a use`,
    networks.length > 0 && `only from ${networks.slice(0, 3).join(', ')}${networks.length > 3 ? ', …' : ''}`,
  ].filter((limit) => limit !== false)
  return (
    <>
      <Badge variant="light" size="sm" tt="none" miw="max-content" color={statusColors[status]}>
        {status}
      </Badge>
      {limits.map((limit) => (
        <Text key={limit} size="xs" c="dimmed">
          {limit}
        </Text>
      ))}
    </>
  )
}

function Actions({ apiKey, opens }: { readonly apiKey: Key; readonly opens: Opens }) {
  const { id, name, status, tsig } = apiKey
  const isPaused = status === 'paused'
  const pause = useSingleMutation({
    mutationFn: (paused: boolean) => client.keys.update({ id, paused }),
    onSuccess: async ({ status: now }) => {
      await queryClient.invalidateQueries(keysQuery)
      if (now === 'paused') notifyDone(`${name} is paused.`)
      else notifyDone(now === 'active' ? `${name} works again.` : `${name} is not paused any more, but it has ended.`)
    },
    onError: notifyError,
  })
  return (
    <Revoke {...apiKey}>
      {(revoke) => (
        <RowMenu of={name}>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => opens.edit(id)}>
            Edit
          </Menu.Item>
          <Menu.Item
            leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
            onClick={() => pause.mutate(!isPaused)}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Menu.Item>
          {tsig === null && (
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => opens.rotate(id)}>
              Replace the value
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconHistory size={16} />} component={Link} to={`/activity?token=${String(id)}`}>
            Activity
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={16} />} color="red" onClick={revoke}>
            Revoke
          </Menu.Item>
        </RowMenu>
      )}
    </Revoke>
  )
}

interface RevokeProps extends Key {
  readonly children: (open: () => void) => ReactNode
}

function Revoke({ id, name, children }: RevokeProps) {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action="Revoke the key"
      run={async () => {
        await client.keys.revoke({ id })
        await queryClient.invalidateQueries(keysQuery)
        notifyDone(`${name} is revoked.`)
      }}
      trigger={children}
    >
      Programs that use this key are refused from their next request on. A revoked key cannot be restored.
    </Confirm>
  )
}

import { Anchor, Badge, Button, Code, Group, Text } from '@mantine/core'
import { IconDeviceMobile, IconPlus } from '@tabler/icons-react'
import { areas, forwarderKeysMax } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { actionsColumn, timeColumn } from '../../parts/columns.js'
import { Confirm } from '../../parts/confirm.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { NewForwarderKey } from './new-forwarder-key.js'
import { forwarderKeysQuery, type ForwarderKey } from './queries.js'
import { SigningKey } from './signing-key.js'

/** Forwarder keys: one for each phone that forwards its messages. */
export function ForwarderKeysPage() {
  const query = useQuery(forwarderKeysQuery)
  const dialog = useDialogInUrl('new')
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
      Create a forwarder key
    </Button>
  )
  return (
    <Page
      title="Forwarder keys"
      lead={`Each phone forwards its messages with its own key. An account has at most ${forwarderKeysMax} keys.`}
      above={{ label: 'Messages', path: '/messages' }}
      actions={create}
      requests={[{ op: areas.sms.keyList }, { op: areas.sms.keyCreate }, { op: areas.sms.keyRevoke }]}
    >
      <QueryView query={query}>
        {({ keys }) => (
          <>
            <NewForwarderKey opened={dialog.isOpen} onClose={dialog.close} used={keys.length} />
            {keys.length === 0 ? (
              <EmptyState icon={IconDeviceMobile} title="No forwarder keys yet" action={create}>
                Create one for each phone: you get an address, and the steps for the app on the phone. If a phone is
                lost, revoke its key; the messages stay.
              </EmptyState>
            ) : (
              <>
                <DataTable label="Forwarder keys" rows={keys} rowKey={({ id }) => id} columns={columns} />
                <Note>
                  {keys.length} of {forwarderKeysMax} keys are in use. Their messages are in the{' '}
                  <Anchor component={Link} to="/messages" size="sm" underline="always">
                    inbox
                  </Anchor>
                  .
                </Note>
              </>
            )}
          </>
        )}
      </QueryView>
    </Page>
  )
}

const columns: readonly Column<ForwarderKey>[] = [
  {
    key: 'label',
    header: 'Phone',
    sortBy: ({ label }) => label,
    cell: ({ label, prefix, last_used_at: at, has_signing_key: isSigned }) => (
      <>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Code style={{ whiteSpace: 'nowrap' }}>{prefix}…</Code>
        <Text size="xs" c="dimmed" hiddenFrom="sm" mt={4}>
          Last used: <TimeAgo at={at} />
          {isSigned && ' · signed messages only'}
        </Text>
      </>
    ),
  },
  {
    key: 'has_signing_key',
    header: 'Accepts',
    wideOnly: true,
    cell: ({ has_signing_key: isSigned }) => (
      <Badge variant="light" color={isSigned ? 'brand' : 'gray'} tt="none">
        {isSigned ? 'signed messages only' : 'all messages'}
      </Badge>
    ),
  },
  timeColumn('last_used_at', 'Last used', { wideOnly: true }),
  timeColumn('created_at', 'Created', { wideOnly: true }),
  actionsColumn((key) => (
    <Group gap={4} justify="flex-end">
      <SigningKey forwarderKey={key} />
      <Revoke {...key} />
    </Group>
  )),
]

function Revoke({ id, label }: ForwarderKey) {
  return (
    <Confirm
      title={`Revoke ${label}?`}
      action="Revoke the key"
      word={label}
      run={async () => {
        await client.sms.keyRevoke({ id })
        await queryClient.invalidateQueries(forwarderKeysQuery)
        notifyDone(`${label} is revoked.`)
      }}
      trigger={(open) => (
        <Button size="compact-sm" variant="subtle" color="red" onClick={open} aria-label={`Revoke ${label}`}>
          Revoke
        </Button>
      )}
    >
      The app on this phone can no longer add messages. Messages that it has forwarded stay. A revoked key cannot be
      restored: to forward again, the phone needs a new key.
    </Confirm>
  )
}

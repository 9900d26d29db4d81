import { Badge, Button, Menu, Stack, Text } from '@mantine/core'
import { IconPlus, IconServer, IconTrash } from '@tabler/icons-react'
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
import { RowMenu } from '../../parts/row-menu.js'
import { Note } from '../../parts/text.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import classes from './secondaries/secondaries.module.css'
import { AddSecondary } from './secondaries/add-secondary.js'
import { nameOf, secondariesQuery, type Secondary } from './secondaries/queries.js'

/** The account's own secondary nameservers, which are told about changes. */
export function SecondariesPage() {
  const query = useQuery(secondariesQuery)
  const dialog = useDialogInUrl('add')
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Add a secondary
    </Button>
  )
  return (
    <Page
      title="Secondary nameservers"
      lead="Your own nameservers that copy the zones of this account. They are told about each change (NOTIFY)."
      above={{ label: 'DNS zones', path: '/dns' }}
      actions={add}
      requests={[{ op: areas.dns.secondaryList }, { op: areas.dns.secondaryCreate }]}
    >
      <AddSecondary opened={dialog.isOpen} onClose={dialog.close} />
      <QueryView query={query}>
        {({ secondaries }) =>
          secondaries.length === 0 ? (
            <EmptyState icon={IconServer} title="No secondaries yet" action={add}>
              Add the address of your nameserver, and the TSIG key that it copies the zones with. It is told about
              changes after its first transfer.
            </EmptyState>
          ) : (
            <DataTable label="Secondaries" rows={secondaries} rowKey={({ id }) => id} columns={columns} />
          )
        }
      </QueryView>
    </Page>
  )
}

const columns: readonly Column<Secondary>[] = [
  {
    key: 'address',
    header: 'Address',
    cell: (secondary) => (
      <div className={classes['address']}>
        <Text size="sm" fw={500}>
          {nameOf(secondary)}
        </Text>
        <Note>{secondary.key_name === null ? 'key revoked' : `key ${secondary.key_name}`}</Note>
      </div>
    ),
  },
  { key: 'state', header: 'State', cell: (secondary) => <State {...secondary} /> },
  timeColumn('told_at', 'Last told', { width: 140, wideOnly: true }),
  actionsColumn((secondary) => <Actions secondary={secondary} />),
]

const colors: Readonly<Record<Secondary['state'], string>> = {
  waiting: 'yellow',
  ready: 'teal',
  told: 'teal',
  refused: 'orange',
  failing: 'orange',
  stopped: 'gray',
}

function State({ state, note }: Pick<Secondary, 'state' | 'note'>) {
  return (
    <Stack gap={4} align="flex-start">
      <Badge variant="light" tt="none" color={colors[state]} c="var(--mantine-color-text)">
        {state}
      </Badge>
      <Note>{note}</Note>
    </Stack>
  )
}

function Actions({ secondary }: { readonly secondary: Secondary }) {
  const name = nameOf(secondary)
  const remove = async () => {
    await client.dns.secondaryDelete({ id: String(secondary.id) })
    await queryClient.invalidateQueries(secondariesQuery)
    notifyDone(`${name} is told about changes no more.`)
  }
  const menu = (ask: () => void) => (
    <RowMenu of={name}>
      <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={ask}>
        Delete
      </Menu.Item>
    </RowMenu>
  )
  return (
    <Confirm title={`Delete the secondary ${name}?`} action="Delete the secondary" run={remove} trigger={menu}>
      It is told about changes no more. Its key stays valid: revoke the key to end its transfers too.
    </Confirm>
  )
}

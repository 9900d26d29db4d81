import { Button, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core'
import { IconListDetails, IconPencil, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react'
import { recordTypes } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useRef, type Ref } from 'react'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted, formatCount } from '../../parts/format.js'
import { IconAction } from '../../parts/icon-action.js'
import { notifyError, notifyUndo } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { useDialogInUrl, useFilter, useItemInUrl } from '../../parts/url-state.js'
import { dropRecord, keepRecord, recordsQuery, type DnsRecord } from './queries.js'
import { AddRecord, EditRecord } from './record-form.js'
import { copyOf, formatTtl, hasPriority } from './record-values.js'

/** The records of a verified zone. */
export function Records({ zone }: { readonly zone: string }) {
  const query = useQuery(recordsQuery(zone))
  const adding = useDialogInUrl('add')
  const addButton = useRef<HTMLButtonElement>(null)
  // Their own buttons are gone then. The timer waits until the button is enabled again.
  const focusAdd = () => void setTimeout(() => addButton.current?.focus())
  const closeAdding = () => {
    adding.close()
    focusAdd()
  }
  const add = (ref?: Ref<HTMLButtonElement>) => (
    <Button ref={ref} size="sm" leftSection={<IconPlus size={16} />} onClick={adding.open} disabled={adding.isOpen}>
      Add a record
    </Button>
  )
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Records
        </Title>
        {add(addButton)}
      </Group>
      {adding.isOpen && <AddRecord zone={zone} onClose={closeAdding} />}
      <QueryView query={query}>
        {({ records }) =>
          records.length > 0 ? (
            <RecordTable zone={zone} records={records} onEmpty={focusAdd} />
          ) : (
            !adding.isOpen && (
              <EmptyState icon={IconListDetails} title="No records yet" action={add()}>
                Start with an A record at the host @ for your web server, and an MX record for mail. If the domain is in
                use elsewhere, export its zone file there and import it here.
              </EmptyState>
            )
          )
        }
      </QueryView>
    </>
  )
}

/** Ids of records that are being deleted: a second click does not send again. */
const deleting = new Set<number>()

/** Deletes a record, and offers to create it again. */
async function remove(zone: string, record: DnsRecord, onEmpty: () => void): Promise<void> {
  if (deleting.has(record.id)) return
  deleting.add(record.id)
  try {
    await client.dns.recordDelete({ zone, id: String(record.id) })
  } finally {
    deleting.delete(record.id)
  }
  dropRecord(zone, record.id)
  if (queryClient.getQueryData(recordsQuery(zone).queryKey)?.records.length === 0) onEmpty()
  notifyUndo(`${record.type} ${record.name} is deleted.`, async () => {
    keepRecord(zone, await client.dns.recordCreate({ zone, ...copyOf(record) }))
  })
}

const contains = ({ name, host, value }: DnsRecord, text: string): boolean =>
  name.includes(text) || host.includes(text) || value.toLowerCase().includes(text)

interface TableProps {
  readonly zone: string
  readonly records: readonly DnsRecord[]
  /** Called when the last record has been deleted. */
  readonly onEmpty: () => void
}

function RecordTable({ zone, records, onEmpty }: TableProps) {
  const [text, setText] = useFilter('q')
  const [type, setType] = useFilter('type')
  const edited = useItemInUrl('record')
  const wanted = useDeferredValue(text.trim().toLowerCase())
  const shown = useMemo(
    () => records.filter((record) => (type === '' || record.type === type) && contains(record, wanted)),
    [records, type, wanted],
  )
  const columns = useMemo(
    () =>
      columnsWith({
        edit: ({ id }) => edited.open(id),
        remove: (record) => void remove(zone, record, onEmpty).catch(notifyError),
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- edited.open and onEmpty are new functions after each change of the address
    [zone],
  )
  return (
    <>
      <EditRecord zone={zone} record={records.find(({ id }) => String(id) === edited.item)} onClose={edited.close} />
      <Group justify="space-between">
        <Group gap="xs">
          <TextInput
            aria-label="Filter by name or value"
            placeholder="Filter by name or value"
            leftSection={<IconSearch size={16} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            w={{ base: '100%', xs: 260 }}
          />
          <NativeSelect
            aria-label="Filter by type"
            value={type}
            onChange={(event) => setType(event.currentTarget.value)}
            data={[{ value: '', label: 'All types' }, ...recordTypes]}
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {shown.length === records.length
            ? counted(records.length, 'record')
            : `${formatCount(shown.length)} of ${counted(records.length, 'record')}`}
        </Text>
      </Group>
      <DataTable
        label="Records"
        rows={shown}
        rowKey={({ id }) => id}
        columns={columns}
        empty={<Text c="dimmed">No record matches this filter.</Text>}
      />
    </>
  )
}

interface Actions {
  readonly edit: (record: DnsRecord) => void
  readonly remove: (record: DnsRecord) => void
}

const columnsWith = ({ edit, remove }: Actions): readonly Column<DnsRecord>[] => [
  {
    key: 'host',
    header: 'Host',
    width: '24%',
    sortBy: ({ host }) => (host === '@' ? '' : host),
    cell: ({ host, name }) => (
      <Text size="sm" fw={500} title={name}>
        {host}
      </Text>
    ),
  },
  {
    key: 'type',
    header: 'Type',
    width: 72,
    sortBy: ({ type }) => type,
    cell: ({ type }) => (
      <Text size="sm" ff="monospace">
        {type}
      </Text>
    ),
  },
  {
    key: 'value',
    header: 'Value',
    sortBy: ({ value }) => value,
    cell: ({ type, value, priority }) => (
      <Text size="sm" ff="monospace" lineClamp={2} title={value}>
        {hasPriority(type) && `${String(priority)} `}
        {value}
      </Text>
    ),
  },
  {
    key: 'ttl',
    header: 'TTL',
    width: 90,
    align: 'right',
    wideOnly: true,
    sortBy: ({ ttl }) => ttl,
    cell: ({ ttl }) => formatTtl(ttl),
  },
  {
    key: 'actions',
    header: 'Actions',
    hidesHeader: true,
    width: 88,
    align: 'right',
    cell: (record) => (
      <Group gap={2} wrap="nowrap" justify="flex-end">
        <IconAction
          icon={IconPencil}
          label={`Edit ${record.type} ${record.name}`}
          hint="Edit"
          onClick={() => edit(record)}
        />
        <IconAction
          icon={IconTrash}
          label={`Delete ${record.type} ${record.name}`}
          hint="Delete"
          color="red"
          onClick={() => remove(record)}
        />
      </Group>
    ),
  },
]

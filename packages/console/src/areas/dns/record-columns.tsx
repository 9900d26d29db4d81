import { Group, Menu, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { actionsColumn } from '../../parts/columns.js'
import type { Column } from '../../parts/data-table.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { IconAction } from '../../parts/icon-action.js'
import { RowMenu } from '../../parts/row-menu.js'
import type { DnsRecord } from './queries.js'
import { formatTtl, hasPriority } from './record-values.js'

interface Actions {
  readonly edit: (record: DnsRecord) => void
  readonly remove: (record: DnsRecord) => void
}

interface Options extends Actions {
  /** Whether the actions are in a menu. */
  readonly isNarrow: boolean
}

/** The columns of the records. */
export const recordColumns = ({ isNarrow, ...actions }: Options): readonly Column<DnsRecord>[] => [
  {
    key: 'host',
    header: 'Host',
    width: '24%',
    sortBy: ({ host }) => (host === '@' ? '' : host),
    cell: ({ host, name }) => (
      <>
        <Text size="sm" fw={500} title={name}>
          {host}
        </Text>
        <DecodedName text={host} />
      </>
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
    cell: (record) => (
      <>
        <Text size="sm" ff="monospace" lineClamp={2} title={record.value}>
          {valueText(record)}
        </Text>
        {hasName(record) && <DecodedName text={record.value} />}
      </>
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
  isNarrow
    ? actionsColumn((record) => <ActionMenu record={record} {...actions} />, 52)
    : actionsColumn((record) => <ActionButtons record={record} {...actions} />, 88),
]

/** A record on a phone: `A · www · 1 h` over its value. */
export const recordLines = (record: DnsRecord) => (
  <>
    <Text size="sm">
      <Text span inherit ff="monospace">
        {record.type}
      </Text>
      {' · '}
      <Text span inherit fw={600}>
        {record.host}
      </Text>
      <Text span inherit c="dimmed">
        {' · '}
        {formatTtl(record.ttl)}
      </Text>
    </Text>
    <Text size="sm" ff="monospace" lineClamp={4}>
      {valueText(record)}
    </Text>
    <DecodedName text={hasName(record) ? `${record.host} ${record.value}` : record.host} />
  </>
)

/** Types whose values have the name of a host. */
const withNames: ReadonlySet<string> = new Set(['CNAME', 'MX', 'NS', 'PTR', 'SRV'])

const hasName = ({ type }: DnsRecord): boolean => withNames.has(type)

const valueText = ({ type, value, priority }: DnsRecord): string =>
  hasPriority(type) ? `${String(priority)} ${value}` : value

interface ActionProps extends Actions {
  readonly record: DnsRecord
}

/** Names a record for screen readers. */
export const titleOf = ({ type, name }: DnsRecord): string => `${type} ${name}`

const ActionButtons = ({ record, edit, remove }: ActionProps) => (
  <Group gap={2} wrap="nowrap" justify="flex-end">
    <IconAction opensRow icon={IconPencil} label={`Edit ${titleOf(record)}`} hint="Edit" onClick={() => edit(record)} />
    <IconAction
      icon={IconTrash}
      label={`Delete ${titleOf(record)}`}
      hint="Delete"
      color="red"
      onClick={() => remove(record)}
    />
  </Group>
)

const ActionMenu = ({ record, edit, remove }: ActionProps) => (
  <RowMenu of={titleOf(record)}>
    <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => edit(record)}>
      Edit
    </Menu.Item>
    <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(record)}>
      Delete
    </Menu.Item>
  </RowMenu>
)

import { Group, Menu } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { actionsColumn } from '../../parts/columns.js'
import type { Column } from '../../parts/data-table.js'
import { IconAction } from '../../parts/icon-action.js'
import { RowMenu } from '../../parts/row-menu.js'
import type { DnsRecord } from './queries.js'
import { recordCells } from './record-cells.js'

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
  ...recordCells,
  isNarrow
    ? actionsColumn((record) => <ActionMenu record={record} {...actions} />, 52)
    : actionsColumn((record) => <ActionButtons record={record} {...actions} />, 88),
]

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

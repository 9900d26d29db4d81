import { Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { recordTypes } from '@svc/contract'
import { useMemo } from 'react'
import type { ChangedRows } from '../../parts/data-table-changes.js'
import { DataTable } from '../../parts/data-table.js'
import { searchField } from '../../parts/key-targets.js'
import { notifyError } from '../../parts/notify.js'
import { selectColumn } from '../../parts/selection/select-column.js'
import { SelectionBar } from '../../parts/selection/selection-bar.js'
import { useSelection } from '../../parts/selection/use-selection.js'
import { useItemInUrl } from '../../parts/url-state.js'
import { useIsNarrow } from '../../parts/use-is-narrow.js'
import { deleteRecords, type AfterDelete } from './delete-records.js'
import type { DnsRecord } from './queries.js'
import { recordColumns, recordLines, titleOf } from './record-columns.js'
import type { RecordFilter } from './record-filter.js'
import { EditRecord, type OnSaved } from './record-form.js'

interface Props extends AfterDelete {
  readonly zone: string
  readonly records: readonly DnsRecord[]
  readonly filter: RecordFilter
  /** Those that pass the filter. */
  readonly shown: readonly DnsRecord[]
  readonly changed: ChangedRows | undefined
  readonly onSaved: OnSaved
}

/** The table of the records, with its filter. */
export function RecordTable({ zone, records, filter, shown, changed, onSaved, onRestored, onEmpty }: Props) {
  const edited = useItemInUrl('record')
  const isNarrow = useIsNarrow()
  const selection = useSelection(shown)
  const remove = (wanted: readonly DnsRecord[]) => deleteRecords(zone, wanted, { onRestored, onEmpty })
  const ownColumns = useMemo(
    () =>
      recordColumns({
        isNarrow,
        edit: ({ id }) => edited.open(id),
        remove: (record) => void remove([record]).catch(notifyError),
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the other functions are new after each change of the address
    [zone, isNarrow],
  )
  const columns = useMemo(() => [selectColumn(selection, titleOf), ...ownColumns], [selection, ownColumns])
  return (
    <>
      <EditRecord
        zone={zone}
        record={records.find(({ id }) => String(id) === edited.item)}
        onSaved={onSaved}
        onClose={edited.close}
      />
      <Group gap="xs" wrap="nowrap">
        <TextInput
          {...searchField}
          aria-label="Filter by name or value"
          placeholder="Filter by name or value"
          leftSection={<IconSearch size={16} />}
          value={filter.text}
          onChange={(event) => filter.setText(event.currentTarget.value)}
          flex={{ base: 1, xs: '0 1 260px' }}
          miw={0}
        />
        <NativeSelect
          aria-label="Filter by type"
          value={filter.type}
          onChange={(event) => filter.setType(event.currentTarget.value)}
          data={[{ value: '', label: 'All types' }, ...recordTypes]}
        />
      </Group>
      <DataTable
        label="Records"
        rows={shown}
        rowKey={keyOf}
        columns={columns}
        lines={recordLines}
        changed={changed}
        order={selection.order}
        empty={<Text c="dimmed">No record matches this filter.</Text>}
      />
      <SelectionBar
        selection={selection}
        noun="record"
        remove={() => remove(selection.chosen)}
        warning="The nameserver stops answering them at once. You can undo it for a few seconds."
      />
    </>
  )
}

const keyOf = ({ id }: DnsRecord): number => id

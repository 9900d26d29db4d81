import { Text } from '@mantine/core'
import { useMemo } from 'react'
import type { ChangedRows } from '../../parts/data-table-changes.js'
import { DataTable } from '../../parts/data-table.js'
import { notifyError } from '../../parts/notify.js'
import { selectColumn } from '../../parts/selection/select-column.js'
import { SelectionBar } from '../../parts/selection/selection-bar.js'
import { useSelection } from '../../parts/selection/use-selection.js'
import { useItemInUrl } from '../../parts/url-state.js'
import { useIsNarrow } from '../../parts/use-is-narrow.js'
import { deleteRecords, type AfterDelete } from './delete-records.js'
import type { DnsRecord } from './queries.js'
import { recordLines } from './record-cells.js'
import { recordColumns, titleOf } from './record-columns.js'
import type { RecordFilter } from './record-filter.js'
import { RecordFilterFields } from './record-filter-fields.js'
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
      <RecordFilterFields filter={filter} />
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

import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconHistory, IconListDetails, IconRestore } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { DataTable } from '../../parts/data-table.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted, formatCount, formatRelative, formatTime } from '../../parts/format.js'
import { Page } from '../../parts/page.js'
import { pathIdIn } from '../../parts/path-id.js'
import { QueryView } from '../../parts/query-view.js'
import { pastRecords, type PastRecord } from './history/past-records.js'
import { changeAtQuery, pastQuery, type PastZone } from './history/queries.js'
import { RevertDialog } from './history/revert-dialog.js'
import { useRevertInUrl } from './history/use-revert-in-url.js'
import { recordCells, recordLines } from './record-cells.js'
import { useFiltered, useRecordFilter } from './record-filter.js'
import { RecordFilterFields } from './record-filter-fields.js'

/** A zone as it was after one of its changes. */
export function PastPage() {
  const { zone = '', serial = '' } = useParams()
  const query = useQuery(pastQuery(zone, serial))
  const { revert, acts, close } = useRevertInUrl(zone)
  return (
    <Page
      title={`${zone} as it was`}
      lead={<DecodedName text={zone} />}
      above={{ label: 'History', path: `/dns/${zone}/history` }}
      requests={[{ op: areas.dns.historyGet, input: { zone, serial } }, { op: areas.dns.historyRevert }]}
    >
      <RevertDialog zone={zone} revert={revert} onClose={close} />
      <QueryView query={query}>
        {(past) => (
          <Stack>
            <Then zone={zone} serial={past.serial} onReturn={() => acts.returnTo(past.serial)} />
            <PastRecords past={past} />
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

interface ThenProps {
  readonly zone: string
  readonly serial: number
  readonly onReturn: () => void
}

/** Says that the page shows the past, and which. */
function Then({ zone, serial, onReturn }: ThenProps) {
  const { data: change } = useQuery(changeAtQuery(zone, pathIdIn(String(serial))))
  return (
    <Alert color="blue" icon={<IconHistory size={18} />} title="The zone as it was, not as it is now">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {change
            ? `All records after the change of ${formatTime(change.at)} (${formatRelative(change.at)}), serial ${String(serial)}.`
            : `All records at serial ${String(serial)}.`}
        </Text>
        <Button variant="default" size="compact-sm" leftSection={<IconRestore size={16} />} onClick={onReturn}>
          Return the zone to this
        </Button>
      </Stack>
    </Alert>
  )
}

function PastRecords({ past }: { readonly past: PastZone }) {
  const records = useMemo(() => pastRecords(past), [past])
  const filter = useRecordFilter()
  const shown = useFiltered(records, filter)
  if (records.length === 0)
    return (
      <EmptyState icon={IconListDetails} title="No records">
        The zone had no records then.
      </EmptyState>
    )
  return (
    <>
      <RecordFilterFields filter={filter} />
      <Text size="sm" c="dimmed" role="status">
        {shown.length === records.length
          ? counted(records.length, 'record')
          : `${formatCount(shown.length)} of ${counted(records.length, 'record')}`}
      </Text>
      <DataTable
        label="Records of the past"
        rows={shown}
        rowKey={keyOf}
        columns={recordCells}
        lines={recordLines}
        empty={<Text c="dimmed">No record matches this filter.</Text>}
      />
    </>
  )
}

const keyOf = ({ id }: PastRecord): number => id

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconListDetails, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, type Ref } from 'react'
import { ChangeAnnouncement, useChangedRows } from '../../parts/data-table-changes.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted, formatCount } from '../../parts/format.js'
import { mainAct } from '../../parts/key-targets.js'
import { notifyDone, notifyNext } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { SectionTitle } from '../../parts/text.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useIsShown } from '../../parts/use-is-shown.js'
import { recordsQuery, type WrittenRecord } from './queries.js'
import { useFiltered, useRecordFilter } from './record-filter.js'
import { AddRecord, type OnSaved } from './record-form.js'
import { RecordTable } from './record-table.js'

const none: readonly never[] = []

/** The records of a verified zone. */
export function Records({ zone }: { readonly zone: string }) {
  const query = useQuery(recordsQuery(zone))
  const adding = useDialogInUrl('add')
  const addButton = useRef<HTMLButtonElement>(null)
  const filter = useRecordFilter()
  const shown = useFiltered(query.data?.records ?? none, filter)
  const [changed, showChanged] = useChangedRows()
  // Their own buttons are gone then. The timer waits until the button is enabled again.
  const focusAdd = () => void setTimeout(() => addButton.current?.focus())
  const closeAdding = () => {
    adding.close()
    focusAdd()
  }
  const isShown = useIsShown()
  const onSaved: OnSaved = (record, verb) => {
    const { id, ttl_changed: others = [] } = record
    const text = savedText(record, verb)
    const keys = [id, ...others]
    if (!isShown()) notifyDone(text)
    else if (!filter.passes(record)) {
      const clear = async () => {
        filter.clear()
        showChanged({ keys })
      }
      notifyNext(`${text} The filter hides it.`, { label: 'Clear the filter', run: clear })
    } else if (others.length > 0) {
      notifyDone(text)
      showChanged({ keys })
    } else showChanged({ keys, text })
  }
  const add = (ref?: Ref<HTMLButtonElement>) => (
    <Button
      {...mainAct}
      ref={ref}
      size="sm"
      leftSection={<IconPlus size={16} />}
      onClick={adding.open}
      disabled={adding.isOpen}
    >
      Add a record
    </Button>
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <Group gap="xs" align="baseline">
          <SectionTitle>Records</SectionTitle>
          {query.data && query.data.records.length > 0 && (
            <Text size="sm" c="dimmed" role="status">
              {countText(shown.length, query.data.records.length)}
            </Text>
          )}
        </Group>
        {add(addButton)}
      </Group>
      <ChangeAnnouncement changed={changed} />
      {adding.isOpen && <AddRecord zone={zone} onSaved={onSaved} onClose={closeAdding} />}
      <QueryView query={query}>
        {({ records }) =>
          records.length > 0 ? (
            <RecordTable
              zone={zone}
              records={records}
              filter={filter}
              shown={shown}
              changed={changed}
              onSaved={onSaved}
              onRestored={(restored) => showChanged({ keys: restored.map(({ id }) => id) })}
              onEmpty={focusAdd}
            />
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
    </Stack>
  )
}

const countText = (shown: number, all: number): string =>
  shown === all ? counted(all, 'record') : `${formatCount(shown)} of ${counted(all, 'record')}`

/** Says what was saved, and which other records changed with it. */
function savedText({ type, name, host, ttl_changed: others = [] }: WrittenRecord, verb: string): string {
  const rest =
    others.length === 0 ? '' : ` ${counted(others.length, 'other record')} of ${host} ${type} got this TTL too.`
  return `${type} ${name} is ${verb}.${rest}`
}

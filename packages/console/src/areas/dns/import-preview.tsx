import { Alert, Badge, Group, List, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { client } from '../../parts/api/client.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { counted, formatCount } from '../../parts/format.js'
import { Note } from '../../parts/text.js'
import { formatTtl, hasPriority } from './record-values.js'

export type Preview = Awaited<ReturnType<typeof client.dns.zoneFilePreview>>
type Change = Preview['changes'][number]
export type Remark = Preview['problems'][number]

/** Whether an import changes nothing. */
export const isNoOp = ({ created, ttl_changed: changed, deleted }: Preview): boolean =>
  created + changed + deleted === 0

/** The changes of an import, and the lines that are skipped or read differently. */
export function ImportPreview({ preview }: { readonly preview: Preview }) {
  const { created, ttl_changed: changed, deleted, unchanged, changes, notes } = preview
  const total = created + changed + deleted
  return (
    <Stack gap="sm">
      <Group gap="xs" role="status" aria-label="Summary">
        <Count of="created" count={created} />
        <Count of="ttl_changed" count={changed} />
        <Count of="deleted" count={deleted} />
        <Badge variant="default" tt="none" size="lg">
          {formatCount(unchanged)} unchanged
        </Badge>
      </Group>
      {total > 0 && (
        <DataTable
          label="Changes"
          rows={changes}
          rowKey={({ change, type, host, value, priority }) => JSON.stringify([change, type, host, value, priority])}
          columns={columns}
        />
      )}
      {total > changes.length && (
        <Note>And {formatCount(total - changes.length)} more, which are not listed here.</Note>
      )}
      <Notes notes={notes} />
    </Stack>
  )
}

function Notes({ notes }: Pick<Preview, 'notes'>) {
  return notes.length === 0 ? null : (
    <Alert
      color="blue"
      icon={<IconInfoCircle size={18} />}
      title={`${counted(notes.length, 'line')} skipped or read differently`}
    >
      <Remarks remarks={notes} />
    </Alert>
  )
}

/** How many remarks are shown. */
export const shownMax = 50

function Remarks({ remarks }: { readonly remarks: Preview['notes'] }) {
  return (
    <List size="sm" mah={220} style={{ overflow: 'auto', overflowWrap: 'anywhere' }} tabIndex={0}>
      {remarks.slice(0, shownMax).map(({ line, text }, at) => (
        <List.Item key={at}>
          <b>Line {line}:</b> {text}
        </List.Item>
      ))}
      {remarks.length > shownMax && <List.Item>And {formatCount(remarks.length - shownMax)} more.</List.Item>}
    </List>
  )
}

const looks = {
  created: { color: 'teal', label: 'added' },
  ttl_changed: { color: 'yellow', label: 'TTL changed' },
  deleted: { color: 'red', label: 'deleted' },
} as const

function Count({ of, count }: { readonly of: Change['change']; readonly count: number }) {
  const { color, label } = looks[of]
  return (
    <Badge color={count === 0 ? 'gray' : color} variant="light" tt="none" size="lg" c="var(--mantine-color-text)">
      {formatCount(count)} {label}
    </Badge>
  )
}

const columns: readonly Column<Change>[] = [
  {
    key: 'line',
    header: 'Line',
    width: 70,
    align: 'right',
    wideOnly: true,
    sortBy: ({ line }) => line ?? 0,
    cell: ({ line }) => line ?? '–',
  },
  {
    key: 'change',
    header: 'Change',
    width: 100,
    cell: ({ change }) => (
      <Badge color={looks[change].color} miw="max-content">
        {looks[change].label}
      </Badge>
    ),
  },
  {
    key: 'host',
    header: 'Host',
    sortBy: ({ host }) => host,
    cell: ({ host, type }) => (
      <>
        {host}
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {type}
        </Text>
      </>
    ),
  },
  { key: 'type', header: 'Type', width: 70, wideOnly: true, sortBy: ({ type }) => type, cell: ({ type }) => type },
  {
    key: 'value',
    header: 'Value',
    cell: ({ type, value, priority }) => (
      <Text size="sm" ff="monospace" lineClamp={2}>
        {hasPriority(type) && `${String(priority)} `}
        {value}
      </Text>
    ),
  },
  { key: 'ttl', header: 'TTL', width: 80, align: 'right', wideOnly: true, cell: ({ ttl }) => formatTtl(ttl) },
]

import { Text } from '@mantine/core'
import type { Column } from '../../parts/data-table.js'
import { DecodedName } from '../../parts/decoded-name.js'
import type { DnsRecord } from './queries.js'
import { formatTtl, hasName, hasPriority } from './record-values.js'

/** A record of now or of the past. */
export type ShownRecord = Pick<DnsRecord, 'host' | 'name' | 'type' | 'value' | 'priority' | 'ttl'>

/** The columns of what a record has. */
export const recordCells: readonly Column<ShownRecord>[] = [
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
        {hasName(record.type) && <DecodedName text={record.value} />}
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
]

/** A record on a phone: `A · www · 1 h` over its value. */
export const recordLines = (record: ShownRecord) => (
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
    <DecodedName text={hasName(record.type) ? `${record.host} ${record.value}` : record.host} />
  </>
)

const valueText = ({ type, value, priority }: ShownRecord): string =>
  hasPriority(type) ? `${String(priority)} ${value}` : value

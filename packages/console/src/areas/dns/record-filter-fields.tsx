import { Group, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { recordTypes } from '@svc/contract'
import { searchField } from '../../parts/key-targets.js'
import type { RecordFilter } from './record-filter.js'

/** The fields of the filter of records. */
export function RecordFilterFields({ filter }: { readonly filter: RecordFilter }) {
  return (
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
  )
}

import { Group, Loader, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { areas, type FileKind } from '@svc/contract'
import { searchField } from '../../parts/key-targets.js'
import { fieldOf } from '../../parts/schema.js'
import type { FileFilter } from './file-filter.js'

const kinds: Readonly<Record<FileKind, string>> = {
  image: 'Images',
  text: 'Texts',
  pdf: 'PDF',
  sound: 'Sound',
  video: 'Video',
  archive: 'Archives',
  other: 'Other files',
}

const kindOptions = [
  { value: '', label: 'All kinds' },
  ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
]

const shareOptions = [
  { value: '', label: 'Shared and private' },
  { value: 'yes', label: 'Shared' },
  { value: 'no', label: 'Private' },
]

const { maxLength } = fieldOf(areas.files.list, 'search')

interface Props {
  readonly filter: FileFilter
  /** While the list has the files of the filter before. */
  readonly isSearching: boolean
}

/** The filter of the list. The server searches all files, not only those that are loaded. */
export function FilterFields({ filter, isSearching }: Props) {
  return (
    <Group gap="xs" flex={{ base: '1 1 100%', sm: '0 1 auto' }}>
      <TextInput
        type="search"
        {...searchField}
        aria-label="Filter by name"
        placeholder="Filter by name"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={isSearching && <Loader size={16} aria-label="Searching" />}
        maxLength={maxLength}
        value={filter.name}
        onChange={({ currentTarget: { value } }) => filter.setName(value)}
        w={{ base: '100%', sm: 260 }}
      />
      <NativeSelect
        aria-label="Filter by kind"
        data={kindOptions}
        value={filter.kind}
        onChange={({ currentTarget: { value } }) => filter.setKind(value)}
        flex={{ base: '1 1 0', sm: '0 0 auto' }}
      />
      <NativeSelect
        aria-label="Filter by sharing"
        data={shareOptions}
        value={filter.sharing}
        onChange={({ currentTarget: { value } }) => filter.setSharing(value)}
        flex={{ base: '1 1 0', sm: '0 0 auto' }}
      />
    </Group>
  )
}

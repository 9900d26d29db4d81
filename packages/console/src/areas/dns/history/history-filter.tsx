import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { recordTypes, type RecordType } from '@svc/contract'
import { searchField } from '../../../parts/key-targets.js'
import { useFilter } from '../../../parts/url-state.js'
import type { HistoryFilter } from './queries.js'

/** The list is read when the user has stopped typing for so long, in milliseconds. */
const pauseMs = 300

/** The filter of the changes by host and type, in the address. */
export function useHistoryFilter() {
  const [host, setHost] = useFilter('host')
  const [type, setType] = useFilter('type')
  const [asked] = useDebouncedValue(host.trim(), pauseMs)
  const wantedType = recordTypes.find((one) => one === type)
  const filter: HistoryFilter = { host: asked === '' ? undefined : asked, type: wantedType }
  return {
    filter,
    host,
    setHost,
    type: wantedType ?? '',
    setType: setType as (type: RecordType | '') => void,
    isSet: host.trim() !== '' || wantedType !== undefined,
    /** Whether the list that is read has a filter. */
    isAsked: asked !== '' || wantedType !== undefined,
    clear: () => {
      setHost('')
      setType('')
    },
  }
}

interface Props {
  readonly fields: ReturnType<typeof useHistoryFilter>
}

/** The fields of the filter. */
export function HistoryFilterFields({ fields: { host, setHost, type, setType, isSet, clear } }: Props) {
  return (
    <Group gap="xs" flex={1} miw={280}>
      <TextInput
        {...searchField}
        aria-label="Only changes at this host"
        placeholder="Host: www, or @"
        leftSection={<IconSearch size={16} />}
        spellCheck={false}
        autoCapitalize="none"
        value={host}
        onChange={(event) => setHost(event.currentTarget.value)}
        flex={{ base: 1, xs: '0 1 240px' }}
        miw={0}
      />
      <NativeSelect
        aria-label="Only changes of this type"
        value={type}
        onChange={(event) => setType(event.currentTarget.value as RecordType | '')}
        data={[{ value: '', label: 'All types' }, ...recordTypes]}
      />
      {isSet && (
        <Button variant="subtle" size="compact-sm" onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  )
}

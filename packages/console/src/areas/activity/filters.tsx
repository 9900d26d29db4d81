import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { eventAreas, eventTextMaxLength } from '@svc/contract/events'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keysQuery } from '../../parts/keys-query.js'
import { searchField } from '../../parts/key-targets.js'
import { useFilter } from '../../parts/url-state.js'
import { areaLabel } from './event-words.js'
import { filterOf, type AccountEvent, type EventFilter } from './queries.js'

interface Filters {
  readonly filter: EventFilter
  readonly setArea: (area: string) => void
  readonly setObject: (object: string) => void
  readonly setToken: (token: string) => void
}

/** The filter of the page, in its address. */
export function useEventFilter(): Filters {
  const [area, setArea] = useFilter('area')
  const [object, setObject] = useFilter('object')
  const [token, setToken] = useFilter('token')
  return { filter: filterOf(area, object, token), setArea, setObject, setToken }
}

const areaChoices: { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'All areas' },
  ...eventAreas.map((area) => ({ value: area, label: areaLabel(area) })),
]

interface Props extends Filters {
  /** An event of the filter, which knows the name of a revoked key. */
  readonly sample: AccountEvent | undefined
}

/** The fields that choose events. */
export function FilterFields({ filter, setArea, setObject, setToken, sample }: Props) {
  const { area, object, token } = filter
  const isFiltered = [area, object, token].some((given) => given !== undefined)
  const clear = () => {
    setArea('')
    setObject('')
    setToken('')
  }
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Filter of the events">
      <NativeSelect
        label="Area"
        w={{ base: '100%', xs: 170 }}
        value={area ?? ''}
        onChange={(event) => setArea(event.currentTarget.value)}
        data={areaChoices}
      />
      <ObjectField key={object} object={object ?? ''} onChange={setObject} />
      <TokenField token={token} onChange={setToken} sample={sample} />
      {isFiltered && (
        <Button variant="subtle" leftSection={<IconX size={16} />} onClick={clear}>
          Clear the filter
        </Button>
      )}
    </Group>
  )
}

interface ObjectProps {
  readonly object: string
  readonly onChange: (object: string) => void
}

/** The whole name of a thing. It is read when it is entered, and not with each letter. */
function ObjectField({ object, onChange }: ObjectProps) {
  const [typed, setTyped] = useState(object)
  const enter = () => {
    if (typed.trim() !== object) onChange(typed.trim())
  }
  return (
    <TextInput
      {...searchField}
      label="Name of the thing"
      placeholder="example.com"
      maxLength={eventTextMaxLength}
      leftSection={<IconSearch size={16} />}
      w={{ base: '100%', xs: 240 }}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={enter}
      onKeyDown={(event) => {
        if (event.key === 'Enter') enter()
      }}
    />
  )
}

interface TokenProps {
  readonly token: number | undefined
  readonly onChange: (token: string) => void
  readonly sample: AccountEvent | undefined
}

/** The API keys of now, and the chosen one if it is revoked. */
function TokenField({ token, onChange, sample }: TokenProps) {
  const keys = useQuery(keysQuery).data?.keys ?? []
  const choices = keys.map(({ id, name }) => ({ value: String(id), label: name }))
  const isKnown = token === undefined || keys.some(({ id }) => id === token)
  const name = sample?.actor.id === token ? sample?.actor.name : undefined
  const chosen = isKnown ? [] : [{ value: String(token), label: name ?? `Key ${String(token)}` }]
  return (
    <NativeSelect
      label="API key"
      w={{ base: '100%', xs: 200 }}
      value={token === undefined ? '' : String(token)}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: 'Anyone' }, ...chosen, ...choices]}
    />
  )
}

import '@mantine/spotlight/styles.css'
import { createSpotlight, Spotlight, type SpotlightActionData, type SpotlightFilterFunction } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { areas } from './areas.js'
import type { Command, ConsoleArea } from '../parts/area.js'
import { paletteEntries } from './palette-entries.js'
import type { TypedKeys } from './typed-keys.js'

export interface PaletteProps {
  /** Opens the palette whenever it changes; 0 before the first time. */
  readonly opening: number
  /** Returns, once, what was typed before the palette could take it; undefined if nothing was collected. */
  readonly takeTyped: () => TypedKeys | undefined
}

/** As many as are in view: all are rendered again at each key. */
const resultsMax = 9

const [store, spotlight] = createSpotlight()

/** The command palette: every page, its commands, and the user's zones, domains and sites by name. */
export function Palette({ opening, takeTyped }: PaletteProps) {
  const entries = useQuery({ ...paletteEntries, enabled: opening > 0 })
  const actions = useActions(entries.data)
  const { query, change, receive, enter } = useSearch(entries, takeTyped)
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (opening === 0) return
    // It keeps its text until it has faded out, and may be opened again before.
    change('')
    spotlight.open()
    // If its field does not have the focus yet, it will get it.
    if (document.activeElement === search.current) receive()
  }, [opening, change, receive])
  return (
    <Spotlight
      store={store}
      actions={actions}
      query={query}
      onQueryChange={change}
      shortcut={null}
      limit={resultsMax}
      filter={matching}
      nothingFound={
        entries.isFetching
          ? 'Loading your zones, domains and sites…'
          : 'No page, command, zone, domain or site has this name.'
      }
      highlightQuery
      scrollable
      maxHeight={420}
      // Without a graphics card, blurring the page took half of the time of a frame.
      overlayProps={{ blur: 0 }}
      attributes={{ content: { 'aria-label': 'Command palette', 'data-palette': true } }}
      // Mantine's color has a contrast below 4.5 on the selected entry.
      styles={{ actionDescription: { color: 'inherit', opacity: 1 } }}
      searchProps={{
        ref: search,
        leftSection: <IconSearch size={18} />,
        placeholder: 'Search pages, commands, zones, domains and sites',
        'aria-label': 'Search',
        onFocus: receive,
        onKeyDown: ({ key, nativeEvent }) => {
          if (key === 'Enter' && !nativeEvent.isComposing) enter()
        },
      }}
    />
  )
}

/** All entries. An entry opens its page. */
function useActions(names: ReadonlyMap<string, readonly Command[]> | undefined): SpotlightActionData[] {
  const navigate = useNavigate()
  return useMemo(() => {
    const open = (path: string) => {
      // The palette closes, so the opened page may take the focus.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      void navigate(`/${path}`)
    }
    return [
      ...areas.flatMap((area) =>
        entriesOf(area, [{ label: area.label, path: area.path }, ...(area.commands ?? [])], open),
      ),
      ...areas.flatMap((area) => entriesOf(area, names?.get(area.path) ?? [], open)),
    ]
  }, [navigate, names])
}

const selected = () => document.querySelector<HTMLElement>('[data-palette] [data-selected]')

/** As Mantine does when a key is typed. It does not when results arrive later, or when the text was not typed into the field. */
function selectFirst(): void {
  const results = Array.from(document.querySelectorAll('[data-palette] [data-action]'))
  for (const [index, result] of results.entries()) result.toggleAttribute('data-selected', index === 0)
  store.setState({ ...store.getState(), selected: results.length === 0 ? -1 : 0 })
}

/** The text of the field, and Enter, which waits for the results if they are still being loaded. */
function useSearch(
  { data, isFetching }: { readonly data: unknown; readonly isFetching: boolean },
  takeTyped: PaletteProps['takeTyped'],
) {
  const [query, setQuery] = useState('')
  const [isEntered, setEntered] = useState(false)
  useEffect(() => {
    if (query !== '') selectFirst()
  }, [query, data])
  useEffect(() => {
    if (!isEntered) return
    const result = selected()
    result?.click()
    if (result || !isFetching) setEntered(false)
  }, [isEntered, query, data, isFetching])
  const change = useCallback((text: string) => {
    setQuery(text)
    setEntered(false)
  }, [])
  const receive = useCallback(() => {
    const typed = takeTyped()
    if (typed === undefined) return
    setQuery(typed.text)
    setEntered(typed.isEntered)
  }, [takeTyped])
  const enter = () => {
    // Mantine opens what is selected.
    if (selected() === null) setEntered(true)
  }
  return { query, change, receive, enter }
}

/** The entries whose label contains the text, then those whose area does. Mantine's own filter copies the list for each entry. */
const matching: SpotlightFilterFunction = (query, actions) => {
  const text = query.trim().toLowerCase()
  const entries = actions.filter((action) => 'id' in action)
  const has = (value: string | undefined) => value?.toLowerCase().includes(text) === true
  const named = entries.filter(({ label }) => has(label))
  return [...named, ...entries.filter(({ label, description }) => !has(label) && has(description))]
}

function entriesOf(
  { label, icon: Icon }: ConsoleArea,
  commands: readonly Command[],
  open: (path: string) => void,
): SpotlightActionData[] {
  const icon: ReactNode = <Icon size={18} stroke={1.5} />
  return commands.map((command) => ({
    id: `${label}/${command.path}/${command.label}`,
    label: command.label,
    leftSection: icon,
    ...(command.label === label ? {} : { description: label }),
    onClick: () => open(command.path),
  }))
}

import '@mantine/spotlight/styles.css'
import { Spotlight, spotlight, type SpotlightActionData, type SpotlightFilterFunction } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { areas } from '../areas/index.js'
import type { Command, ConsoleArea } from './area.js'
import { paletteEntries } from './palette-entries.js'

export interface PaletteProps {
  /** Opens the palette whenever it changes; 0 before the first time. */
  readonly opening: number
  /** Returns, once, what was typed before the palette could take it. */
  readonly takeTyped: () => string
}

/** As many as are in view: all are rendered again at each key. */
const resultsMax = 9

/** The command palette: every page, its commands, and the user's zones, domains and sites by name. */
export function Palette({ opening, takeTyped }: PaletteProps) {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const entries = useQuery({ ...paletteEntries, enabled: opening > 0 })
  useEffect(() => {
    if (opening === 0) return
    // It keeps its text until it has faded out, and may be opened again before.
    setQuery('')
    spotlight.open()
  }, [opening])
  const actions = useMemo(() => {
    const open = (path: string) => {
      // The palette closes, so the opened page may take the focus.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      void navigate(`/${path}`)
    }
    return [
      ...areas.flatMap((area) =>
        entriesOf(area, [{ label: area.label, path: area.path }, ...(area.commands ?? [])], open),
      ),
      ...areas.flatMap((area) => entriesOf(area, entries.data?.get(area.path) ?? [], open)),
    ]
  }, [navigate, entries.data])
  return (
    <Spotlight
      actions={actions}
      query={query}
      onQueryChange={setQuery}
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
        leftSection: <IconSearch size={18} />,
        placeholder: 'Search pages, commands, zones, domains and sites',
        'aria-label': 'Search',
        onFocus: () => {
          const typed = takeTyped()
          setQuery((text) => text + typed)
        },
      }}
    />
  )
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

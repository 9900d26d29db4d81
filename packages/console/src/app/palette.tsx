import '@mantine/spotlight/styles.css'
import { Text } from '@mantine/core'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { searchTextMaxLength } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { currentSession } from '../parts/api/current-session.js'
import { errorText } from '../parts/error-text.js'
import { KeyCaps } from './key-caps.js'
import { foundEntry, recentEntry, useEntries, type Entry } from './palette-entries.js'
import { resultsOf, startEntries } from './palette-results.js'
import { useFound } from './palette-search.js'
import { addRecent, readRecent } from '../parts/recent.js'
import type { TypedKeys } from './typed-keys.js'

export interface PaletteProps {
  /** Opens the palette whenever it changes; 0 before the first time. */
  readonly opening: number
  /** Returns the keys that were typed while the palette was loading, and forgets them; undefined if there are none. */
  readonly takeTyped: () => TypedKeys | undefined
  /** Shows the keys. */
  readonly openHelp: () => void
}

const [store, spotlight] = createSpotlight()

/** The command palette: every page, its commands, and what the account has, which the server finds. */
export function Palette({ opening, takeTyped, openHelp }: PaletteProps) {
  const [query, setQuery] = useState('')
  const { found, isSearching, error, isPartial } = useFound(query)
  const entries = useEntries(openHelp)
  const isEmpty = query.trim() === ''
  const results = useMemo(
    () =>
      isEmpty
        ? []
        : resultsOf(
            query,
            entries,
            found.flatMap((each) => foundEntry(each) ?? []),
          ),
    [isEmpty, query, entries, found],
  )
  const { recent, open } = useOpen(opening)
  const start = useMemo(() => (isEmpty ? startEntries(recent, entries) : []), [isEmpty, recent, entries])
  const { change, receive, enter } = useEnter({ query, setQuery, results, isSearching, takeTyped })
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (opening === 0) return
    // It keeps its text until it has faded out, and may be opened again before.
    change('')
    spotlight.open()
    // If its field does not have the focus yet, it will get it.
    if (document.activeElement === search.current) receive()
  }, [opening, change, receive])
  const actions = (some: readonly Entry[]) => some.map((entry) => <Action key={entry.id} entry={entry} open={open} />)
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={change}
      shortcut={null}
      scrollable
      maxHeight={440}
      // Without a graphics card, blurring the page took half of the time of a frame.
      overlayProps={{ blur: 0 }}
      attributes={{ content: { 'aria-label': 'Command palette', 'data-palette': true } }}
      // Mantine's color has a contrast below 4.5 on the selected entry.
      styles={{ actionDescription: { color: 'inherit', opacity: 1 } }}
    >
      <Spotlight.Search
        ref={search}
        leftSection={<IconSearch size={18} />}
        placeholder="Search pages, commands and everything that you have"
        aria-label="Search"
        maxLength={searchTextMaxLength}
        onFocus={receive}
        onKeyDown={({ key, nativeEvent }) => {
          if (key === 'Enter' && !nativeEvent.isComposing) enter()
        }}
      />
      {results.length > 0 && <Spotlight.ActionsList>{actions(results)}</Spotlight.ActionsList>}
      {isEmpty && (
        <Spotlight.ActionsList>
          {recent.length > 0 && <Heading>Recently opened</Heading>}
          {actions(recent)}
          {recent.length > 0 && <Heading>Pages and commands</Heading>}
          {actions(start)}
        </Spotlight.ActionsList>
      )}
      {!isEmpty && results.length === 0 && error === null && (
        <Spotlight.Empty>{isSearching ? 'Searching everything that you have…' : 'No results.'}</Spotlight.Empty>
      )}
      {error !== null && <Problem>The search failed: {errorText(error)} Pages and commands still work.</Problem>}
      {isPartial && <Problem>A part of the search failed: some results are missing.</Problem>}
    </Spotlight.Root>
  )
}

const Heading = ({ children }: { readonly children: string }) => (
  <Text size="xs" fw={600} c="dimmed" px="sm" py={4}>
    {children}
  </Text>
)

const Problem = ({ children }: { readonly children: ReactNode }) => (
  <Spotlight.Footer>
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {children}
    </Text>
  </Spotlight.Footer>
)

function Action({ entry, open }: { readonly entry: Entry; readonly open: (entry: Entry) => void }) {
  const { label, detail, icon: Icon, keys } = entry
  return (
    <Spotlight.Action
      label={label}
      {...(detail !== '' && { description: detail })}
      leftSection={<Icon size={18} stroke={1.5} />}
      rightSection={keys === undefined ? undefined : <KeyCaps keys={keys} />}
      highlightQuery
      onClick={() => open(entry)}
    />
  )
}

const none: readonly Entry[] = []

/** What was opened lately, and a function that opens an entry. */
function useOpen(opening: number) {
  const navigate = useNavigate()
  const account = useQuery(currentSession).data?.user.email
  const [recent, setRecent] = useState(none)
  useEffect(() => {
    if (opening > 0 && account !== undefined) setRecent(readRecent(account).flatMap((each) => recentEntry(each) ?? []))
  }, [opening, account])
  const open = useCallback(
    ({ label, detail, opens }: Entry) => {
      if (typeof opens !== 'string') {
        opens()
        return
      }
      if (account !== undefined) addRecent(account, { label, detail, path: opens })
      // The palette closes, so the opened page may take the focus.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      void navigate(`/${opens}`)
    },
    [navigate, account],
  )
  return { recent, open }
}

const selected = () => document.querySelector<HTMLElement>('[data-palette] [data-selected]')

/**
 * As Mantine does when a key is typed. It does not when results arrive later, or when the text was not typed into the field.
 * @param isKept whether the result stays selected that the user has gone to
 */
function selectResult(isKept: boolean): void {
  const results = Array.from(document.querySelectorAll('[data-palette] [data-action]'))
  const chosen = isKept && store.getState().selected > 0 ? selected() : null
  const index = chosen === null ? Math.min(0, results.length - 1) : results.indexOf(chosen)
  for (const [at, result] of results.entries()) result.toggleAttribute('data-selected', at === index)
  store.setState({ ...store.getState(), selected: index })
}

interface EnterOptions {
  readonly query: string
  readonly setQuery: (text: string) => void
  readonly results: readonly Entry[]
  readonly isSearching: boolean
  readonly takeTyped: PaletteProps['takeTyped']
}

/** The text of the field, and Enter, which waits for the results if they are still being loaded. */
function useEnter({ query, setQuery, results, isSearching, takeTyped }: EnterOptions) {
  const [isEntered, setEntered] = useState(false)
  useEffect(() => {
    if (query !== '') selectResult(false)
  }, [query])
  useEffect(() => {
    if (results.length > 0) selectResult(true)
  }, [results])
  useEffect(() => {
    if (!isEntered) return
    const result = selected()
    result?.click()
    if (result || !isSearching) setEntered(false)
  }, [isEntered, results, isSearching])
  const change = useCallback(
    (text: string) => {
      setQuery(text)
      setEntered(false)
    },
    [setQuery],
  )
  const receive = useCallback(() => {
    const typed = takeTyped()
    if (typed === undefined) return
    setQuery(typed.text)
    setEntered(typed.isEntered)
  }, [setQuery, takeTyped])
  const enter = () => {
    // Mantine opens what is selected.
    if (selected() === null) setEntered(true)
  }
  return { change, receive, enter }
}

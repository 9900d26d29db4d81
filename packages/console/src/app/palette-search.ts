import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { endableClient, type client } from '../parts/api/client.js'

export type Found = Awaited<ReturnType<typeof client.search.find>>['found'][number]

/** How long no letter is typed until the server is asked, in milliseconds. */
const pauseMs = 100

/** A new text ends the request for the one before. */
const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', 'find', q],
    queryFn: ({ signal }) => endableClient(signal).search.find({ q }),
    enabled: q !== '',
    staleTime: 5_000,
    gcTime: 30_000,
    placeholderData: keepPreviousData,
    // The next letter asks again.
    retry: false,
  })

const nothing: readonly Found[] = []

/** What the server finds for a text. */
export function useFound(text: string) {
  const q = text.trim()
  const [asked] = useDebouncedValue(q, pauseMs)
  const { data, error, isFetching, isPlaceholderData } = useQuery(searchQuery(q === '' ? '' : asked))
  const isCurrent = q === asked && !isPlaceholderData
  const fits = ({ label, detail }: Found) => `${label} ${detail}`.toLowerCase().includes(q.toLowerCase())
  const found = q === '' ? nothing : (data?.found ?? nothing)
  return {
    /** Of the text before, those that fit this one too, until the answer is there. */
    found: isCurrent ? found : found.filter(fits),
    isSearching: q !== '' && (q !== asked || isFetching),
    error: isCurrent && q !== '' ? error : null,
    /** Whether an area of the server has failed. */
    isPartial: isCurrent && q !== '' && data?.complete === false,
  }
}

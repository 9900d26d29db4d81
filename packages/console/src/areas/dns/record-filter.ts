import { useDeferredValue, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useFilter } from '../../parts/url-state.js'
import { useIsShown } from '../../parts/use-is-shown.js'
import type { DnsRecord } from './queries.js'

type Filtered = Pick<DnsRecord, 'name' | 'host' | 'value' | 'type'>

const textName = 'q'
const typeName = 'type'

export type RecordFilter = ReturnType<typeof useRecordFilter>

/** The filter of the records by a text and a type, in the address. */
export function useRecordFilter() {
  const [text, setText] = useFilter(textName)
  const [type, setType] = useFilter(typeName)
  const [, setParameters] = useSearchParams()
  const isShown = useIsShown()
  return {
    text,
    setText,
    type,
    setType,
    /** Whether a record passes the filter. */
    passes: (record: Filtered) => matches(record, type, wantedOf(text)),
    clear: () => {
      // A notice offers it, also after the user has left the page.
      if (!isShown()) return
      const others = new URLSearchParams(location.search)
      others.delete(textName)
      others.delete(typeName)
      setParameters(others, { replace: true, preventScrollReset: true })
    },
  }
}

/** The records that pass a filter. */
export function useFiltered<Row extends Filtered>(
  records: readonly Row[],
  { text, type }: RecordFilter,
): readonly Row[] {
  const wanted = useDeferredValue(wantedOf(text))
  return useMemo(() => records.filter((record) => matches(record, type, wanted)), [records, type, wanted])
}

const wantedOf = (text: string): string => text.trim().toLowerCase()

const matches = ({ name, host, value, type }: Filtered, wantedType: string, text: string): boolean =>
  (wantedType === '' || type === wantedType) &&
  (name.includes(text) || host.includes(text) || value.toLowerCase().includes(text))

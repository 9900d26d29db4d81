import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { endableClient } from '../../parts/api/client.js'
import { counted, formatCount } from '../../parts/format.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { saveFile } from '../../parts/save-file.js'
import type { EventFilter } from './queries.js'

/** The most events of one download: a file of some 30 MB, which the browser has in its memory. */
const downloadMax = 100_000

const pageSize = 1_000

interface Props {
  readonly filter: EventFilter
}

/** Saves all events of the filter, also those that the page has not loaded. */
export function DownloadCsv({ filter }: Props) {
  const [count, setCount] = useState<number>()
  const ended = useRef(new AbortController())
  useEffect(() => {
    ended.current = new AbortController()
    return () => ended.current.abort()
  }, [])
  const download = async () => {
    const { signal } = ended.current
    setCount(0)
    try {
      const { parts, rows, isWhole } = await readAll(filter, signal, setCount)
      saveFile(new Blob([...parts], { type: 'text/csv;charset=utf-8' }), fileName(new Date()))
      if (isWhole) notifyDone(`${counted(rows, 'event')} saved.`)
      else notifyDone(`The newest ${formatCount(rows)} events are saved. Choose a filter to save older ones.`)
    } catch (error) {
      if (!signal.aborted) notifyError(error)
    }
    setCount(undefined)
  }
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      disabled={count !== undefined}
      onClick={() => void download()}
    >
      {count === undefined ? 'Download CSV' : `${formatCount(count)} events …`}
    </Button>
  )
}

interface Read {
  readonly parts: readonly string[]
  readonly rows: number
  /** Whether these are all events. */
  readonly isWhole: boolean
}

/** Page by page, as text: a page of objects needs ten times the memory. */
async function readAll(filter: EventFilter, ended: AbortSignal, onRead: (rows: number) => void): Promise<Read> {
  // With the first click: the page shows nothing of it.
  const { csvHead, csvLines } = await import('./csv.js')
  const client = endableClient(ended)
  const parts = [csvHead]
  let rows = 0
  for (let before: number | undefined; ;) {
    const { events, next } = await client.account.eventList({ ...filter, limit: pageSize, before })
    parts.push(csvLines(events))
    rows += events.length
    onRead(rows)
    if (next === null || rows >= downloadMax) return { parts, rows, isWhole: next === null }
    before = next
  }
}

/** `svc-activity-2026-11-27.csv` */
const fileName = (now: Date): string => `svc-activity-${now.toISOString().slice(0, 'yyyy-mm-dd'.length)}.csv`

import { Paper, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { backgroundClient } from '../parts/api/client.js'
import { LiveChanges } from '../parts/api/live-changes.js'
import { isChanged } from '../parts/api/live-queries.js'
import { LiveStream, type LiveEvent } from '../parts/api/live-stream.js'
import { ownRequests } from '../parts/api/own-requests.js'
import { queryClient } from '../parts/api/query-client.js'
import { hasInput, subscribeReloadHold } from '../parts/reload-hold.js'
import { noteOf } from './live-note.js'
import classes from './notices.module.css'

/** How long a note stays, in milliseconds. */
const noteMs = 8_000

/** Keeps the pages up to date with what others change in the account, and says what that was. */
export function Live() {
  const [note, setNote] = useState<string>()
  useEffect(() => follow(setNote), [])
  useEffect(() => {
    if (note === undefined) return undefined
    const timer = setTimeout(() => setNote(undefined), noteMs)
    return () => clearTimeout(timer)
  }, [note])
  return (
    <div aria-live="polite" data-live className={classes['live']}>
      {note !== undefined && (
        <Paper withBorder shadow="sm" className={classes['note']}>
          <Text size="sm" lineClamp={2}>
            {note}
          </Text>
        </Paper>
      )}
    </div>
  )
}

/** Listens while the tab is in view: a browser opens six connections to a host with HTTP/1.1. @returns a function that ends it */
function follow(show: (note: string) => void): () => void {
  const changes = new LiveChanges({
    isOwn: ownRequests.has,
    isWriting: ownRequests.isWriting,
    isHeld: hasInput,
    read: (events) => queryClient.invalidateQueries({ predicate: ({ queryKey }) => isChanged(queryKey, events) }),
    tell: (events) => void tell(events, show),
  })
  const stream = new LiveStream({ open: openStream, onEvent: changes.add, onReset: changes.addAll })
  const followView = () => {
    if (document.visibilityState === 'visible') stream.open()
    else stream.close()
  }
  followView()
  document.addEventListener('visibilitychange', followView)
  const leave = subscribeReloadHold(changes.release)
  return () => {
    document.removeEventListener('visibilitychange', followView)
    leave()
    stream.close()
    changes.stop()
  }
}

async function tell(events: readonly LiveEvent[], show: (note: string) => void): Promise<void> {
  try {
    const note = await noteOf(events)
    if (note !== undefined) show(note)
  } catch {
    // The page Activity has the event. The user has not asked for the note.
  }
}

async function openStream(lastId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const headers = lastId === '' ? {} : { 'Last-Event-ID': lastId }
  const { body } = await backgroundClient.events.stream({}, { headers, signal })
  return chunksOf(body)
}

/** Not the stream's own iterator, which browsers of before 2024 do not have. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (chunk?.value === undefined) return
    yield chunk.value
  }
}

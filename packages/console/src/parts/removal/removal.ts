import { useEffect, useSyncExternalStore } from 'react'
import { eachOf } from '../each-of.js'
import { counted } from '../format.js'
import { notifyDone, notifyError, notifyUndo } from '../notify.js'

/**
 * Rows that the user deletes together. They leave the page at once, and the requests are sent when the offer to undo ends: Undo sends
 * nothing, so it loses nothing. If a request fails, its rows come back with the error.
 */

export interface Removal {
  /** Identifies the list that hides the rows. */
  readonly list: string
  /** What a row is: `message`. */
  readonly noun: string
  readonly ids: readonly number[]
  /** How many ids one request has. */
  readonly partSize: number
  /** Sends one request. It must be of the client whose requests outlive the page. */
  readonly send: (ids: readonly number[]) => Promise<unknown>
  /** Takes deleted rows out of the answers in memory. */
  readonly drop: (ids: ReadonlySet<number>) => void
  /** Reads the list again after an error, because the server may have deleted rows all the same. */
  readonly reload: () => void
}

/** What a browser surely sends for a page that has been left: 64 KiB of bodies (Fetch standard, 4.6), in not too many requests. */
const keepaliveMax = { ids: 5_000, requests: 100 }

/** How many rows can be deleted together with an offer to undo it. @param partSize how many ids one request has */
const undoMaxOf = (partSize: number): number => Math.min(keepaliveMax.ids, keepaliveMax.requests * partSize)

/** Whether a deletion can be undone, for the question before it. */
export const undoNote = (count: number, partSize: number): string =>
  count > undoMaxOf(partSize) ? 'This cannot be undone.' : 'You can undo it for a few seconds.'

const none: ReadonlySet<number> = new Set()
/** Ids of hidden rows by list. Those of deleted rows stay, because a read that began before may still bring them. */
const hidden = new Map<string, ReadonlySet<number>>()
const listeners = new Set<() => void>()
/** Ends the offer to undo, and sends. */
let endOffer: (() => void) | undefined
/** Whether all deletions under way succeed. */
let sending: Promise<boolean> = Promise.resolve(true)

function change(list: string, ids: readonly number[], isHidden: boolean): void {
  const next = new Set(hidden.get(list))
  for (const id of ids) {
    if (isHidden) next.add(id)
    else next.delete(id)
  }
  hidden.set(list, next)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Sends the deletion that can still be undone, and ends the offer to undo it. @returns whether it, and those before it, succeeded */
export function sendRemoval(): Promise<boolean> {
  endOffer?.()
  return sending
}

const sendAtOnce = (): void => void sendRemoval()
addEventListener('pagehide', sendAtOnce)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') sendAtOnce()
})

/** The ids of rows that a list does not show, because the user has deleted them. Sends the deletion when the page is left. */
export function useHiddenRows(list: string): ReadonlySet<number> {
  useEffect(() => sendAtOnce, [list])
  return useSyncExternalStore(subscribe, () => hidden.get(list) ?? none)
}

/** Hides rows, and deletes them when the offer to undo ends. More than `undoMaxOf` are deleted at once, without such an offer. */
export async function removeRows(removal: Removal): Promise<void> {
  const { list, noun, ids, partSize } = removal
  sendAtOnce()
  change(list, ids, true)
  const rows = counted(ids.length, noun)
  if (ids.length > undoMaxOf(partSize)) {
    const isDone = await held(track(send(removal, eachOf)))
    if (isDone) notifyDone(`${rows} deleted.`)
    return
  }
  const undo = async () => {
    endOffer = undefined
    change(list, ids, false)
  }
  endOffer = notifyUndo(`Deleting ${rows}.`, undo, () => {
    endOffer = undefined
    void track(send(removal, allOf))
  })
}

function track(removal: Promise<boolean>): Promise<boolean> {
  const all = Promise.all([sending, removal]).then((outcomes) => outcomes.every(Boolean))
  sending = all
  void all.finally(() => {
    if (sending === all) sending = Promise.resolve(true)
  })
  return removal
}

/** The browser asks before it leaves the page, which would stop the deletion. */
async function held<R>(removal: Promise<R>): Promise<R> {
  const ask = (event: Event) => event.preventDefault()
  addEventListener('beforeunload', ask)
  return removal.finally(() => removeEventListener('beforeunload', ask))
}

/** Makes a change of all items at the same time: a page that is left cannot send the rest later. @returns the errors */
async function allOf<Item>(items: readonly Item[], run: (item: Item) => Promise<unknown>): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(items.map(run))
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
}

/** @returns whether all rows have been deleted */
async function send(removal: Removal, each: typeof eachOf): Promise<boolean> {
  const { list, ids, partSize, drop, reload } = removal
  const gone = new Set<number>()
  const errors = await each(partsOf(ids, partSize), async (part) => {
    await removal.send(part)
    for (const id of part) gone.add(id)
  })
  drop(gone)
  if (errors.length === 0) return true
  const kept = ids.filter((id) => !gone.has(id))
  change(list, kept, false)
  reload()
  notifyError(errors[0])
  return false
}

const partsOf = (ids: readonly number[], size: number): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, part) => ids.slice(part * size, (part + 1) * size))

import type { InfiniteData } from '@tanstack/react-query'
import type { client } from '../../parts/api/client.js'

export type MessagePage = Awaited<ReturnType<typeof client.sms.messageList>>
export type Message = MessagePage['messages'][number]
export type Loaded = InfiniteData<MessagePage, number | undefined>

/**
 * Adds new messages to the loaded ones. If more have arrived than the newest page has, it replaces them all: older pages are loaded again
 * when the user scrolls.
 * @returns the same object if nothing has changed
 */
export function withNewest(loaded: Loaded, newest: MessagePage): Loaded {
  const [first, ...others] = loaded.pages
  const lastKnown = first?.messages[0]?.id ?? 0
  const fresh = newest.messages.filter(({ id }) => id > lastKnown)
  const gone = goneIds(loaded, newest)
  if (first === undefined || (fresh.length === newest.messages.length && newest.next !== null))
    return { pages: [newest], pageParams: [undefined] }
  if (fresh.length === 0 && gone.size === 0 && newest.total === first.total) return loaded
  const messages = [...fresh, ...first.messages]
  const all = { ...loaded, pages: [{ ...first, messages }, ...others] }
  return { ...all, pages: without(all, gone).pages.map((page) => ({ ...page, total: newest.total })) }
}

/** The loaded messages that the newest page would have if they still existed. */
function goneIds({ pages }: Loaded, { messages, next }: MessagePage): ReadonlySet<number> {
  const listed = new Set(messages.map(({ id }) => id))
  const oldest = next === null ? 0 : (messages.at(-1)?.id ?? 0)
  const ids = pages.flatMap((page) => page.messages.map(({ id }) => id))
  return new Set(ids.filter((id) => id >= oldest && !listed.has(id)))
}

/** The loaded messages without some of them, which are not counted any more. */
export function without<Param>(
  loaded: InfiniteData<MessagePage, Param>,
  ids: ReadonlySet<number>,
): InfiniteData<MessagePage, Param> {
  const kept = loaded.pages.map(({ messages }) => messages.filter(({ id }) => !ids.has(id)))
  const removed = loaded.pages.reduce(
    (sum, { messages }, index) => sum + messages.length - (kept[index]?.length ?? 0),
    0,
  )
  const pages = loaded.pages.map((page, index) => ({
    ...page,
    messages: kept[index] ?? [],
    total: page.total - removed,
  }))
  return { ...loaded, pages }
}

/** Whether a message contains all words of a search in its sender, text or device, in upper or lower case. */
export function matches({ from, body, device }: Message, search: string): boolean {
  const text = `${from}\n${body}\n${device ?? ''}`.toLocaleLowerCase()
  return search
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

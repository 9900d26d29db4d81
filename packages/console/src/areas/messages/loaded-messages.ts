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
  if (first === undefined || (fresh.length === newest.messages.length && newest.next !== null))
    return { pages: [newest], pageParams: [undefined] }
  if (fresh.length === 0 && newest.total === first.total) return loaded
  const messages = [...fresh, ...first.messages]
  return { ...loaded, pages: [{ ...first, messages, total: newest.total }, ...others] }
}

/** Whether a message contains all words of a search in its sender, text or device, in upper or lower case. */
export function matches({ from, body, device }: Message, search: string): boolean {
  const text = `${from}\n${body}\n${device ?? ''}`.toLocaleLowerCase()
  return search
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

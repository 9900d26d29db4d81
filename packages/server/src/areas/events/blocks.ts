import { liveEventJson } from '../../journal/presenter.js'
import type { ShownEvent } from '../../journal/events.js'

/** The blocks of a stream of events (WHATWG HTML, section 9.2.5). */

/** After a break, clients connect again this much later: the server may have just restarted for all of them. */
const retryMs = 3_000

/** The place of the stream, without an event: a client that loses the connection before the first event still misses none. */
export const openingBlock = (id: number): Buffer => Buffer.from(`retry: ${String(retryMs)}\nid: ${String(id)}\n\n`)

/** Events after the last id of the client are not kept any more. */
export const resetBlock = (id: number): Buffer =>
  Buffer.from(`event: reset\nid: ${String(id)}\ndata: ${JSON.stringify({ id, reset: true })}\n\n`)

/** Without `event`, so that EventSource gives it to `onmessage`. */
export const eventBlock = (event: ShownEvent): Buffer =>
  Buffer.from(`id: ${String(event.id)}\ndata: ${liveEventJson(event)}\n\n`)

/** A comment. Proxies end connections on which nothing moves: nginx after 60 seconds. */
export const keepAliveBlock = Buffer.from(': keep-alive\n\n')

import { createClient, type ConsoleClient } from '@svc/client'
import { consoleAreas } from '@svc/contract'
import { serverPath } from './base.js'
import { fetchWithProgress, type Sent } from './fetch-with-progress.js'
import { ownRequests } from './own-requests.js'
import { watched } from './server.js'
import type { AnyCall } from './paused-calls.js'
import { endedSession, missingPassword } from './session.js'

/** Calls whose 401 is an answer to the user or to the page, not the end of a session. */
const openCalls: ReadonlySet<string> = new Set(
  [
    ...Object.values(consoleAreas.setup),
    ...[consoleAreas.session.signIn, consoleAreas.session.signOut, consoleAreas.session.whoAmI],
    ...[consoleAreas.session.resetRequest, consoleAreas.session.reset],
  ].map(({ id }) => id),
)

/** The password of a new sign-in is a recent one, so a call waits for one of the two only. */
const repeating = (call: AnyCall): AnyCall => missingPassword.repeating(endedSession.repeating(call))

function withSession(client: ConsoleClient): ConsoleClient {
  const areas = Object.entries(client as unknown as Record<string, Record<string, AnyCall>>).map(([area, calls]) => {
    const wrapped = Object.entries(calls).map(
      ([name, call]) => [name, openCalls.has(`${area}.${name}`) ? call : repeating(call)] as const,
    )
    return [area, Object.fromEntries(wrapped)] as const
  })
  return Object.fromEntries(areas) as unknown as ConsoleClient
}

/** A `fetch` that notices an outage, and whose requests count as those of this tab. @param ended as for `watched` */
const sent = (send: typeof fetch, ended?: AbortSignal): typeof fetch => watched(ownRequests.tracked(send), ended)

/** Every operation of the console, as the browser's session. A call waits for the password if it needs one. */
export const client = withSession(
  createClient({ baseUrl: serverPath, door: 'console', fetch: sent((...request) => fetch(...request)) }),
)

/** The same operations for small requests that the browser sends to their end also after the page has been left. */
export const keepaliveClient = withSession(
  createClient({
    baseUrl: serverPath,
    door: 'console',
    fetch: sent((url, options) => fetch(url, { ...options, keepalive: true })),
  }),
)

/** The same operations for one upload, which reports how much of it was sent. */
export const uploadClient = (onSent: (sent: Sent) => void): ConsoleClient =>
  withSession(createClient({ baseUrl: serverPath, door: 'console', fetch: sent(fetchWithProgress(onSent)) }))

/** The same operations for calls that end when the signal is aborted, because the user no longer needs their answers. */
export const endableClient = (ended: AbortSignal): ConsoleClient =>
  withSession(
    createClient({
      baseUrl: serverPath,
      door: 'console',
      fetch: sent(
        (url, { signal, ...init } = {}) =>
          fetch(url, { ...init, signal: AbortSignal.any(signal ? [signal, ended] : [ended]) }),
        ended,
      ),
    }),
  )

/** The same operations for what the user has not asked for. A failure opens no dialog and is no outage. */
export const backgroundClient: ConsoleClient = createClient({ baseUrl: serverPath, door: 'console' })

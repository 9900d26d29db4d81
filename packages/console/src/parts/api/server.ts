import { consolePath } from './base.js'
import { queryClient } from './query-client.js'
import { ServerWatch } from './server-watch.js'

/** How long the server has to answer, in milliseconds. */
const answerMs = 5_000

/** The scripts of a page of the console. The name of one of them changes with every build. @returns undefined for another page */
const scriptsOf = (html: string): string | undefined =>
  joined(Array.from(html.matchAll(/<script type="module"[^>]* src="([^"]+)"/g), ([, src = '']) => src))

const joined = (sources: readonly string[]): string | undefined =>
  sources.length === 0 ? undefined : sources.join(' ')

/** Reads the page of the console, because its text has the build. An answer of a proxy is not such a page. */
async function readBuild(): Promise<string | undefined> {
  try {
    const answer = await fetch(`${consolePath}/`, { cache: 'no-store', signal: AbortSignal.timeout(answerMs) })
    return answer.ok ? scriptsOf(await answer.text()) : undefined
  } catch {
    // The absence of an answer is the result.
    return undefined
  }
}

/** Whether the server answers, and has the build of this page. */
export const server = new ServerWatch({
  build: joined(
    Array.from(document.querySelectorAll('script[type="module"][src]'), (script) => script.getAttribute('src') ?? ''),
  ),
  readBuild,
  // Pages that show an error, or an old answer, read again.
  onReturn: () => void queryClient.invalidateQueries(),
})

/** The statuses of a proxy whose server is away. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** A `fetch` that notices an outage. @param ended aborted when the user no longer needs the answer */
export const watched =
  (send: typeof fetch, ended?: AbortSignal): typeof fetch =>
  async (...request) => {
    try {
      const answer = await send(...request)
      if (gatewayStatuses.has(answer.status)) server.suspect()
      return answer
    } catch (error) {
      if (ended?.aborted !== true) server.suspect()
      throw error
    }
  }

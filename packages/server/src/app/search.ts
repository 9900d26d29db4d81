import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ConsoleAreas } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { foundMax, searchTextMaxLength } from '@svc/contract/limits'
import type { Area } from '../http/area.js'
import type { Handlers } from '../http/handler.js'
import type { Account } from '../shared/account.js'
import type { Found, Search } from '../shared/found.js'
import { KeyedSlots } from '../shared/slots.js'
import { turns } from '../shared/turns.js'
import { refuseInvisible } from '../shared/visible-text.js'

/** How long the search of one area may take, in milliseconds. */
const timeoutMs = 5_000

/** Searches at a time, and those that wait, of an account and of all: each letter that a user types is a search. */
const limits = { each: { running: 1, waiting: 4 }, all: { running: 4, waiting: 64 } }

class Busy extends Error {}

/** One answer is missing, so the result is not complete. */
function noneIfBusy(error: unknown): undefined[] {
  if (error instanceof Busy) return [undefined]
  throw error
}

type SearchableAreas = Readonly<Record<string, Pick<Area<never>, 'search'>>>

/** The search of the console: asks all areas at the same time. An area that fails or is late does not fail the others. */
export function searchHandlers(
  areas: SearchableAreas,
  log: Logger,
  waitMs = timeoutMs,
): Handlers<ConsoleAreas['search']> {
  const searches = Object.entries(areas).flatMap(([area, { search }]) => (search ? { area, search } : []))
  const oneEachTurn = turns()
  const slots = new KeyedSlots<number>({ ...limits, busy: () => new Busy() })

  async function ask(
    area: string,
    search: Search,
    account: Account,
    text: string,
  ): Promise<readonly Found[] | undefined> {
    const ended = new AbortController()
    const late = delay(waitMs, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`The search took longer than ${String(waitMs)} ms.`)
    })
    try {
      // SQLite reads on the event loop: other work runs between the areas.
      return await Promise.race([oneEachTurn(() => search(account, text, ended.signal)), late])
    } catch (error) {
      log.error({ err: error, area }, 'the search of an area failed')
      return undefined
    } finally {
      ended.abort()
    }
  }

  return {
    async find({ query: { q } }, { account }) {
      const text = checkText(q)
      const askAll = () => Promise.all(searches.map(({ area, search }) => ask(area, search, account, text)))
      const answers = await slots.run(account.id, performance.now() + waitMs, askAll).catch(noneIfBusy)
      const found = bestFirst(
        answers.flatMap((answer) => answer ?? []),
        text,
      )
      return {
        found: found.slice(0, foundMax).map(({ path, ...shown }) => ({ ...shown, path: [...path] })),
        complete: answers.every((answer) => answer !== undefined),
      }
    },
  }
}

function checkText(given: string): string {
  const text = given.trim()
  const { length } = Array.from(text)
  if (length === 0 || length > searchTextMaxLength)
    throw badRequest('q', `must have 1 to ${String(searchTextMaxLength)} characters, not ${String(length)}`)
  refuseInvisible('q', text)
  return text
}

/** Those with exactly this name, then those whose name begins with the text, then the others: each in the order of their areas. */
function bestFirst(found: readonly Found[], text: string): readonly Found[] {
  const wanted = text.toLowerCase()
  const rank = ({ label }: Found): number => {
    const name = label.toLowerCase()
    if (name === wanted) return 0
    return name.startsWith(wanted) ? 1 : 2
  }
  return found.toSorted((a, b) => rank(a) - rank(b))
}

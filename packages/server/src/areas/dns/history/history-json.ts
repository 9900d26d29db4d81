import { timestamp } from '../../../shared/timestamp.js'
import type { ChangedSet, Difference } from '../zones/change-text.js'
import type { Change, HistoryPage } from './history-store.js'

/** The answers of the history as JSON, in pieces of a few kilobytes: as computations that can be interrupted after each RRset. Pure. */

/** Characters of a piece, unless a single RRset has more. */
const pieceChars = 64 * 1024

/** A change of so many RRsets is written at once. */
const setsAtOnce = 20

/** Text that is put together from many parts. */
class Pieces {
  readonly #buffers: Buffer[] = []
  #text = ''

  add(text: string): void {
    this.#text += text
    if (this.#text.length >= pieceChars) this.#flush()
  }

  end(text: string): Buffer[] {
    this.#text += text
    this.#flush()
    return this.#buffers
  }

  #flush(): void {
    this.#buffers.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** The answer of `dns.historyList`. */
export function* pageSteps(zone: string, { changes, next, total }: HistoryPage): Generator<undefined, Buffer[]> {
  const pieces = new Pieces()
  pieces.add(`{"zone":${JSON.stringify(zone)},"changes":[`)
  for (const [i, change] of changes.entries()) {
    if (i > 0) pieces.add(',')
    const { removed, added } = change
    if (removed.length + added.length <= setsAtOnce)
      pieces.add(JSON.stringify({ ...changeHead(change), removed, added }))
    else {
      pieces.add(`${withoutEnd(changeHead(change))},`)
      yield* addDifference(pieces, change)
      pieces.add('}')
    }
    yield
  }
  return pieces.end(`],"next":${String(next)},"total":${total}}`)
}

/** The answer of `dns.historyGet`. */
export function* stateSteps(zone: string, serial: number, sets: readonly ChangedSet[]): Generator<undefined, Buffer[]> {
  const pieces = new Pieces()
  pieces.add(`{"zone":${JSON.stringify(zone)},"serial":${serial},"rrsets":`)
  yield* addSets(pieces, sets)
  return pieces.end('}')
}

/** The answer of `dns.historyRevert`. */
export function* revertSteps(zone: string, serial: number, difference: Difference): Generator<undefined, Buffer[]> {
  const pieces = new Pieces()
  pieces.add(`{"zone":${JSON.stringify(zone)},"serial":${serial},`)
  yield* addDifference(pieces, difference)
  return pieces.end('}')
}

const changeHead = ({ id, at, action, kind, actorId, actorName, requestId }: Change) => ({
  serial: id,
  at: timestamp(at),
  ...(action !== '' && { action }),
  actor: { kind, name: actorName, id: actorId },
  request_id: requestId,
})

/** The JSON of an object, without its last bracket. */
const withoutEnd = (object: object): string => JSON.stringify(object).slice(0, -1)

function* addDifference(pieces: Pieces, { removed, added }: Difference): Generator<undefined, void> {
  pieces.add('"removed":')
  yield* addSets(pieces, removed)
  pieces.add(',"added":')
  yield* addSets(pieces, added)
}

function* addSets(pieces: Pieces, sets: readonly ChangedSet[]): Generator<undefined, void> {
  pieces.add('[')
  for (const [i, { host, type, ttl, values }] of sets.entries()) {
    pieces.add((i === 0 ? '' : ',') + JSON.stringify({ host, type, ttl, values }))
    if (i > 0) yield
  }
  pieces.add(']')
}

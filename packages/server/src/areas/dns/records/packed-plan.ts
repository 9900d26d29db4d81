import { setImmediate as nextTurn } from 'node:timers/promises'
import { runInSlices } from '../../../shared/time-slices.js'
import type { RecordsPlan } from './plan.js'

/**
 * Large plans on their way from the writer thread, as JSON texts. One message with 16,000 records as objects would block the event loop
 * for 40 ms; texts are received in a fraction of that, and parsed one in each slice.
 */

/** Up to so many records, a plan is received as it is: in about 2 ms. */
const unpackedMax = 1000

/** Characters of one text, unless a single RRset has more. It is parsed in less than a millisecond. */
const textMax = 64 * 1024

const listNames = ['removed', 'added', 'before', 'after'] as const

type ListName = (typeof listNames)[number]

export interface PackedPlan<P extends RecordsPlan = RecordsPlan> {
  readonly plan: Omit<P, ListName>
  /** Each text is a JSON array, and all together have the items of the list in their order. */
  readonly texts: Readonly<Record<ListName, readonly string[]>>
}

/** @returns a small plan as it is */
export function packPlan<P extends RecordsPlan>(given: P): P | PackedPlan<P> {
  const { removed, added, before, after, ...plan } = given
  if (removed.length + added.length <= unpackedMax) return given
  return { plan, texts: { removed: pack(removed), added: pack(added), before: pack(before), after: pack(after) } }
}

function pack(items: readonly object[]): string[] {
  const texts: string[] = []
  let part: string[] = []
  let length = 0
  const end = () => {
    if (part.length > 0) texts.push(`[${part.join(',')}]`)
    part = []
    length = 0
  }
  for (const item of items) {
    const text = JSON.stringify(item)
    if (length + text.length > textMax) end()
    part.push(text)
    length += text.length
  }
  end()
  return texts
}

/** Other work runs between two slices. */
export async function unpackPlan<P extends RecordsPlan>(given: P | PackedPlan<P>): Promise<P> {
  if (!('texts' in given)) return given
  const lists = await runInSlices(unpackSteps(given.texts), nextTurn)
  return { ...given.plan, ...lists } as unknown as P
}

type Lists = Pick<RecordsPlan, ListName>

function* unpackSteps(texts: PackedPlan['texts']): Generator<undefined, Lists> {
  const lists: Record<ListName, unknown[]> = { removed: [], added: [], before: [], after: [] }
  for (const name of listNames)
    for (const text of texts[name]) {
      for (const item of JSON.parse(text) as unknown[]) lists[name].push(item)
      yield
    }
  return lists as unknown as Lists
}

import type { Held } from './zone-document.js'

/** PowerDNS takes 2 MB in a request (webserver-max-bodysize); this leaves room for what JSON puts around the contents. */
const batchMax = 1024 * 1024

/** About what an RRset and each of its records weigh beside names and contents. */
const overhead = 100

/** RRsets in their order, cut into requests that PowerDNS takes. Most zones are one. */
export function inBatches(sets: readonly Held[]): Held[][] {
  const batches: Held[][] = []
  let weight = Infinity
  for (const set of sets) {
    const own = weightOf(set)
    if (weight + own > batchMax) {
      batches.push([])
      weight = 0
    }
    batches.at(-1)?.push(set)
    weight += own
  }
  return batches
}

/** Escapes at their longest: a backslash is two characters in JSON. */
const weightOf = ({ name, contents }: Held): number =>
  contents.reduce(
    (sum, content) => sum + overhead + content.length + (content.match(/["\\]/g)?.length ?? 0),
    overhead + name.length,
  )

import type { ProviderRRset } from './zone-document.js'

/** Maximum size of a batch in bytes. PowerDNS accepts requests of 2 MB (webserver-max-bodysize), so the estimate may be low. */
const batchMax = 1024 * 1024

/** Estimated bytes of JSON for an RRset, and for each of its records, beside names and contents. */
const overhead = 100

/** Splits RRsets, in their order, into batches that PowerDNS accepts in one request. Most zones need one batch. */
export function inBatches(sets: readonly ProviderRRset[]): ProviderRRset[][] {
  const batches: ProviderRRset[][] = []
  let batchSize = Infinity
  for (const set of sets) {
    const size = jsonSizeOf(set)
    if (batchSize + size > batchMax) {
      batches.push([])
      batchSize = 0
    }
    batches.at(-1)?.push(set)
    batchSize += size
  }
  return batches
}

/** Estimated bytes of an RRset in JSON, where quotes and backslashes are two characters. */
const jsonSizeOf = ({ name, contents }: ProviderRRset): number =>
  contents.reduce(
    (sum, content) => sum + overhead + content.length + (content.match(/["\\]/g)?.length ?? 0),
    overhead + name.length,
  )

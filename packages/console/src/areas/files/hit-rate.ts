/** Counts of a file in the edge cache. */
interface Counts {
  readonly hits: number
  readonly misses: number
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** The part of the downloads that came from the cache, 0 to 1; undefined without any. */
export const hitRate = ({ hits, misses }: Counts): number | undefined =>
  hits + misses === 0 ? undefined : hits / (hits + misses)

export function hitRateText(counts: Counts): string {
  const rate = hitRate(counts)
  return rate === undefined ? '–' : percent.format(rate)
}

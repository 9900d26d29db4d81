/** A page of a list that is ordered from the newest id to the oldest. */
export interface PageKey {
  /** Maximum number of entries. */
  readonly limit: number
  /** Exclusive. */
  readonly before: number
}

/** The longest page, and the default. */
const limitMax = 1000

/** The page that a query of the contract asks for. */
export const pageKey = ({ limit = limitMax, before = Number.MAX_SAFE_INTEGER }: Partial<PageKey>): PageKey => ({
  limit,
  before,
})

export interface Page<T> {
  readonly entries: readonly T[]
  /** `before` of the next page; null on the last page. */
  readonly next: number | null
}

/** Cuts a page from up to `limit + 1` rows: the extra row shows that another page exists. */
export function cutPage<T extends { readonly id: number }>(rows: readonly T[], limit: number): Page<T> {
  const entries = rows.slice(0, limit)
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null }
}

/** How many rows fit into a page whose texts have at most `maxBytes`; at least one. */
export function countFitting(rows: readonly { readonly size: number }[], maxBytes: number): number {
  let bytes = 0
  const tooLong = rows.findIndex(({ size }) => (bytes += size) > maxBytes)
  return tooLong === -1 ? rows.length : Math.max(tooLong, 1)
}

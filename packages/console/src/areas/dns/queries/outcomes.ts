import type { Counts } from './queries.js'

/** The outcomes of queries, in the order of the table. */
export const outcomes = [
  { name: 'answers', label: 'Answers', note: 'with records' },
  { name: 'no_data', label: 'No data', note: 'the name exists, but not with this type' },
  { name: 'nxdomain', label: 'Nonexistent names', note: 'NXDOMAIN' },
  { name: 'referrals', label: 'Referrals', note: 'to the nameservers of a delegated subdomain' },
  { name: 'truncated', label: 'Truncated', note: 'too long for UDP: the resolver asks again over TCP' },
  { name: 'limited', label: 'Rate-limited', note: 'too many from one network' },
  { name: 'refused', label: 'Refused', note: 'transfers and updates without the right to them' },
  { name: 'transfers', label: 'Transfers', note: 'to secondary nameservers' },
  { name: 'updates', label: 'Updates', note: 'by RFC 2136' },
] as const satisfies readonly { readonly name: keyof Counts; readonly label: string; readonly note: string }[]

/** The outcomes that the chart shows apart; the others are one series. */
const shown = ['answers', 'no_data', 'nxdomain'] as const

export type Series = (typeof shown)[number] | 'others'

/** The counts of a day or an hour, as the chart shows them. */
export const seriesOf = (counts: Counts): Record<Series, number> => {
  const { answers, no_data, nxdomain } = counts
  const total = outcomes.reduce((sum, { name }) => sum + counts[name], 0)
  return { answers, no_data, nxdomain, others: total - answers - no_data - nxdomain }
}

/** The sum of each outcome. */
export const sumOf = (all: readonly Counts[]): Counts =>
  Object.fromEntries(outcomes.map(({ name }) => [name, all.reduce((sum, counts) => sum + counts[name], 0)])) as Counts

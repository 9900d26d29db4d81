/** Measures in alternating rounds, compares medians and prints a row of a Markdown table per figure. */

export const median = (figures: readonly number[]): number => {
  const sorted = figures.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2
}

export const p99 = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.99)] ?? NaN

/**
 * Measures all sides once in each round, so that other load of the machine affects all of them.
 * @returns the figures of each side, in the order of the rounds
 */
export async function measureRounds<K extends string>(
  count: number,
  sides: Record<K, () => Promise<number>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(sides) as K[]
  const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>
  for (let round = 0; round < count; round++) for (const name of names) figures[name].push(await sides[name]())
  return figures
}

/** The median of the ratios of each round. A ratio of two medians would compare figures of different rounds. */
export const medianRatio = (figures: readonly number[], against: readonly number[]): number =>
  median(figures.map((figure, round) => figure / (against[round] ?? NaN)))

const missed: string[] = []

type Limit = { readonly atLeast: number } | { readonly below: number }

/** Prints a row of the table of a bench, in Markdown. */
const printRow = (...cells: readonly string[]): void => {
  console.log(`| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`)
}

/** Prints the heading of a bench and the head of its table. @param about date, machine and versions */
export function startTable(name: string, about: string): void {
  console.log(`\n### ${name}\n\n${about}\n`)
  const columns = ['what', 'figure', 'peer', 'ratio', 'limit', 'kept']
  printRow(...columns)
  printRow(...columns.map(() => '---'))
}

/** Prints a figure with its limit. A missed limit makes `finish` fail the run. */
export function checkLimit(what: string, figure: number, limit: Limit, unit = ''): void {
  judge({ what, figure: figure.toFixed(2) + unit, peer: '', ratio: '' }, figure, limit, unit)
}

/** A figure beside that of a peer, as texts, and the ratio of the two. */
interface Comparison {
  readonly figure: string
  /** Its name and its figure. */
  readonly peer: string
  readonly ratio: number
}

/** Prints a figure beside that of its peer. A ratio that misses the limit makes `finish` fail the run. */
export function checkRatio(what: string, { figure, peer, ratio }: Comparison, limit: Limit): void {
  judge({ what, figure, peer, ratio: `${ratio.toFixed(2)} ×` }, ratio, limit, ' ×')
}

/** Compares milliseconds with those of a peer, in alternating rounds. */
export function checkTime(
  what: string,
  ms: readonly number[],
  peer: { readonly name: string; readonly ms: readonly number[] },
  below: number,
): void {
  const shown = (figures: readonly number[]) => `${median(figures).toFixed(2)} ms`
  const ratio = medianRatio(ms, peer.ms)
  checkRatio(what, { figure: shown(ms), peer: `${peer.name}: ${shown(peer.ms)}`, ratio }, { below })
}

/** Prints a figure without a limit. */
export const printInfo = (what: string, figure: string): void => {
  printRow(what, figure, '', '', '', '')
}

interface Row {
  readonly what: string
  readonly figure: string
  readonly peer: string
  readonly ratio: string
}

function judge({ what, figure, peer, ratio }: Row, judged: number, limit: Limit, unit: string): void {
  const isKept = 'atLeast' in limit ? judged >= limit.atLeast : judged < limit.below
  const bound = 'atLeast' in limit ? `at least ${limit.atLeast}` : `below ${limit.below}`
  printRow(what, figure, peer, ratio, bound + unit, isKept ? 'yes' : '**no**')
  if (!isKept) missed.push(what)
}

/** Sets the exit code of the run: 1 if a limit was missed. */
export function finish(): void {
  if (missed.length > 0) console.error(`\nMissed: ${missed.join('; ')}`)
  process.exitCode = missed.length > 0 ? 1 : 0
}

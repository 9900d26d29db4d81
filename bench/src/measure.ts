/** Measures in alternating rounds, compares medians and prints one line per limit. */

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

/** Prints a figure with its limit. A missed limit makes `finish` fail the run. */
export function checkLimit(
  what: string,
  figure: number,
  limit: { atLeast: number } | { below: number },
  unit = '',
): void {
  const isKept = 'atLeast' in limit ? figure >= limit.atLeast : figure < limit.below
  const bound = 'atLeast' in limit ? `at least ${limit.atLeast}` : `below ${limit.below}`
  console.log(`${isKept ? 'kept  ' : 'MISSED'}  ${what}: ${figure.toFixed(2)}${unit} (${bound}${unit})`)
  if (!isKept) missed.push(what)
}

/** Prints a figure without a limit. */
export const printInfo = (what: string, figure: string): void => {
  console.log(`        ${what}: ${figure}`)
}

/** Sets the exit code of the run: 1 if a limit was missed. */
export function finish(): void {
  if (missed.length > 0) console.error(`\nMissed: ${missed.join('; ')}`)
  process.exitCode = missed.length > 0 ? 1 : 0
}

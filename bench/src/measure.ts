/** Measuring: alternating rounds, medians, one line of output for each limit. */

export const median = (figures: readonly number[]): number => {
  const sorted = figures.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2
}

/**
 * Measures all sides once in each round, so that other load of the machine affects them equally.
 * @returns the figures of each side, by round
 */
export async function rounds<K extends string>(
  count: number,
  sides: Record<K, () => Promise<number>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(sides) as K[]
  const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>
  for (let round = 0; round < count; round++) for (const name of names) figures[name].push(await sides[name]())
  return figures
}

/** The median of the ratios of the rounds. Medians of different rounds would not be comparable. */
export const ratio = (figures: readonly number[], against: readonly number[]): number =>
  median(figures.map((figure, round) => figure / (against[round] ?? NaN)))

const failed: string[] = []

/** Prints a figure with its limit, and records a missed limit. */
export function limit(what: string, figure: number, kept: { atLeast: number } | { below: number }, unit = ''): void {
  const ok = 'atLeast' in kept ? figure >= kept.atLeast : figure < kept.below
  const bound = 'atLeast' in kept ? `at least ${kept.atLeast}` : `below ${kept.below}`
  console.log(`${ok ? 'kept  ' : 'MISSED'}  ${what}: ${figure.toFixed(2)}${unit} (${bound}${unit})`)
  if (!ok) failed.push(what)
}

export const info = (what: string, figure: string): void => {
  console.log(`        ${what}: ${figure}`)
}

/** Sets the exit code: 1 if a limit was missed. */
export function finish(): void {
  if (failed.length > 0) console.error(`\nMissed: ${failed.join('; ')}`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

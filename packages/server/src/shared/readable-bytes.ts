const units = ['kB', 'MB', 'GB', 'TB', 'PB'] as const

/** A size for people and for programs: `100 GB (100000000000 bytes)`. Decimal units, at most one digit after the point. */
export function readableBytes(bytes: number): string {
  let [unit, size]: [string, number] = ['', 1]
  for (const [index, name] of units.entries())
    if (bytes >= 1000 ** (index + 1)) [unit, size] = [name, 1000 ** (index + 1)]
  // Rounded down, so that 99,999 of 100,000 bytes do not look like all of them.
  return unit === '' ? `${bytes} bytes` : `${Math.floor(bytes / (size / 10)) / 10} ${unit} (${bytes} bytes)`
}

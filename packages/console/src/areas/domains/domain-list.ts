import { SvcError } from '@svc/client'

/** The names in a pasted text: separated by white space, commas or semicolons, each once, in their order. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((name) => name.toLowerCase())
      .filter((name) => name !== ''),
  ),
]

/** Why the server refuses a name of a request. */
export interface NameProblem {
  readonly name: string
  readonly problem: string
}

/**
 * The server's message about each refused name of a request: it lists them as `domains[1] must be …. domains[4] must be ….`.
 * @param sent the names of the request @returns empty if the error is not about names
 */
export function nameProblems(error: unknown, sent: readonly string[]): NameProblem[] {
  if (!(error instanceof SvcError) || error.code !== 'bad_request') return []
  const [, ...parts] = error.message.split(/(?:^|(?<=\. ))domains\[(\d+)\] /)
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) return []
    const name = sent[Number(part)]
    const problem = (parts[index + 1] ?? '').trim()
    return name === undefined ? [] : [{ name, problem: problem.charAt(0).toUpperCase() + problem.slice(1) }]
  })
}

/** The text without some names. The order and the separators of the others become one name a line. */
export const withoutNames = (text: string, names: ReadonlySet<string>): string =>
  namesIn(text)
    .filter((name) => !names.has(name))
    .join('\n')

/** Parts of at most that many entries. */
export function chunked<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, part) =>
    entries.slice(part * size, (part + 1) * size),
  )
}

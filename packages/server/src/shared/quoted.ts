/** How many characters of what came a message repeats. */
const longest = 60

/** What came, as a message repeats it: on one line, in ASCII quotes, not at length. */
export const quoted = (given: string): string =>
  JSON.stringify(given.length > longest ? `${given.slice(0, longest)}…` : given)

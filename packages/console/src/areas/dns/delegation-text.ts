import type { Delegation } from './queries.js'

/** How many names a sentence has. */
const namesMax = 4

function listed(names: readonly string[]): string {
  const more = names.length - namesMax
  const shown = more > 0 ? [...names.slice(0, namesMax), `${String(more)} more`] : names
  return new Intl.ListFormat('en').format(shown)
}

/** Where the delegation of a zone stands, as a sentence that names what the registrar has instead. */
export function delegationText({ zone, state, lookup: { expected, resolvers } }: Delegation): string {
  if (state === 'live') return `The public DNS has ${listed(expected)} for ${zone}.`
  if (state === 'unknown') return `The nameservers of ${zone} could not be looked up: ${listed(reasonsOf(resolvers))}.`
  const found = new Set(resolvers.flatMap(({ values }) => values))
  const wanted = new Set(expected.map((name) => name.toLowerCase()))
  const others = [...found].filter((name) => !wanted.has(name))
  const waiting = 'Waiting for the registrar'
  if (others.length > 0) return `${waiting}, which still has ${listed(others)}.`
  if (found.size === 0) return `${waiting}: the public DNS has no nameservers for ${zone} yet.`
  const missing = expected.filter((name) => !found.has(name.toLowerCase()))
  return missing.length > 0
    ? `${waiting}, which does not have ${listed(missing)} yet.`
    : `${waiting}: not all resolvers have the nameservers yet.`
}

const reasonsOf = (resolvers: Delegation['lookup']['resolvers']): string[] =>
  resolvers.map(({ resolver, result }) => `${resolver} ${reasons[result] ?? 'answered with an error'}`)

const reasons: Readonly<Record<string, string>> = {
  servfail: 'could not resolve the name',
  refused: 'refused the query',
  timeout: 'did not answer in time',
  unreachable: 'could not be reached',
}

import type { Command } from 'commander'
import { closestMatch } from 'leven'
import { areaOf, commandOf, operations, type Operation } from '@svc/contract'

/**
 * The message for an unknown area or operation of `svc api`. It has the command to type if the word is another spelling of an
 * operation, such as in logs and metrics (`dns.recordCreate`) or of a tool (`dns_record_create`).
 * @param listing the command that has the areas or the operations as its subcommands
 */
export function unknownName(what: 'area' | 'operation', word: string, listing: Command): string {
  if (word.startsWith('-')) return `unknown option '${word}': the flags of an operation stand behind it`
  const problem = `unknown ${what} ${JSON.stringify(word)}`
  const names = listing.commands.map((command) => command.name())
  const spelled = operations.filter((op) => [commandOf(op), op.id].some((name) => plain(name) === plain(word)))
  const inListing = spelled.filter((op) => what === 'operation' && areaOf(op) === listing.name())
  const longer = names.filter((name) => name.split('-').includes(word))
  if (inListing.length > 0) return `${problem}: use ${commandLines(inListing)}`
  if (longer.length > 0) return `${problem}: did you mean ${alternatives.format(longer)}?`
  if (spelled.length > 0) return `${problem}: use ${commandLines(spelled)}`
  const nearest = nearestOf(word, names)
  return nearest === undefined ? problem : `${problem}: did you mean ${nearest}?`
}

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' })

const commandLines = (ops: readonly Operation[]): string =>
  ops.map((op) => `svc api ${areaOf(op)} ${commandOf(op)}`).join(' or ')

/** The letters and digits in lower case: equal for all spellings of a name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** The name with the fewest changed letters; undefined if more than two, or a third of a long word, are different. */
function nearestOf(word: string, names: readonly string[]): string | undefined {
  const byPlain = new Map(names.map((name) => [plain(name), name]))
  const given = plain(word)
  const most = given.length < 3 ? 1 : Math.max(2, Math.ceil(given.length / 3))
  const match = closestMatch(given, [...byPlain.keys()], { maxDistance: most })
  return match === undefined ? undefined : byPlain.get(match)
}

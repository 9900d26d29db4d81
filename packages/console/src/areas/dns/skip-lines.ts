/**
 * Turns records and directives of a zone file into comments. A record that spans several lines becomes a comment as a whole, and
 * following records without an owner field, which would silently get another one, are given the owner.
 * @param at the lines of the problems, from 1
 * @returns the changed text; unchanged for `$ORIGIN` and `$TTL`, which later lines depend on
 */
export function skipLines(text: string, at: ReadonlySet<number>): string {
  const lines = text.split('\n')
  const changed = [...lines]
  const comment = (from: number, to: number) => {
    for (let index = from; index <= to; index += 1) changed[index] = `; ${lines[index] ?? ''}`
  }
  /** The owner of the last record if that is a comment now; without a name after `$ORIGIN`, where it would stand for another one. */
  let skipped: { readonly owner?: string | undefined } | undefined
  for (let first = 0, next = 0; first < lines.length; first = next) {
    const last = endOf(lines, first, at)
    next = last + 1
    const line = lines[first] ?? ''
    if (isEmpty(line) && first === last) continue
    const isSkipped = hasAny(at, first, last) && canSkip(line)
    if (isSkipped) comment(first, last)
    if (line.startsWith('$')) {
      if (skipped && /^\$ORIGIN\b/i.test(line)) skipped = {}
    } else if (!isBlank(line[0])) skipped = isSkipped ? { owner: firstWord(line) } : undefined
    else if (!isSkipped && skipped) {
      if (skipped.owner === undefined) comment(first, last)
      else {
        changed[first] = `${skipped.owner}${line}`
        skipped = undefined
      }
    }
  }
  return changed.join('\n')
}

/** Whether the text means the same without this line, apart from what the line itself adds. */
export const canSkip = (line: string): boolean => !/^\$(ORIGIN|TTL)\b/i.test(line)

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t'

/** Whether a line has only a comment or nothing. */
const isEmpty = (line: string): boolean => /^[ \t\r]*(?:;|$)/.test(line)

/** As written; undefined for a word that cannot be read. */
const firstWord = (line: string): string | undefined =>
  /^[ \t(]*("(?:[^"\\]|\\.)*"|(?:[^ \t;"()\\]|\\.)+)/.exec(line)?.[1]

function hasAny(at: ReadonlySet<number>, first: number, last: number): boolean {
  for (let index = first; index <= last; index += 1) if (at.has(index + 1)) return true
  return false
}

/** How many lines an entry may have here: beyond that it is not closed. */
const entryMax = 1_000

/**
 * The last line of an entry, from 0: where its parentheses are closed, or where it cannot be read further, which is a problem. An entry
 * that is never closed has one line.
 */
function endOf(lines: readonly string[], first: number, at: ReadonlySet<number>): number {
  let open = 0
  for (let index = first; index < Math.min(lines.length, first + entryMax); index += 1) {
    open += parenthesesOf(lines[index] ?? '')
    if (open <= 0 || (index > first && at.has(index + 1))) return index
  }
  return first
}

/** How many more parentheses a line opens than it closes. */
function parenthesesOf(line: string): number {
  let open = 0
  let isQuoted = false
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]
    if (character === '\\') at += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === ';') break
    else if (character === '(') open += 1
    else if (character === ')') open -= 1
  }
  return open
}

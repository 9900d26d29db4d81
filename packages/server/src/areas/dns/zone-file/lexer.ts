import { recordValueMaxLength } from '@svc/contract/limits'
import { closingQuote } from '../../../ports/dns/presentation/strings.js'

/** The lexer of zone files (RFC 1035, section 5.1): comments, quotes, parentheses, and blanks at the beginning of a line. */

/** A note or a problem, with the line of the file. */
export interface Remark {
  readonly line: number
  readonly text: string
}

export interface Token {
  /** As written, with its escapes and without its quotation marks. */
  readonly text: string
  readonly isQuoted: boolean
}

/** One record or directive, on one line or, within parentheses, on several. */
export interface Entry {
  /** Where it begins, counted from 1. */
  readonly line: number
  /** Whether it begins with a blank, which means that it has no owner field. */
  readonly isIndented: boolean
  readonly tokens: readonly Token[]
}

/** Maximum characters of a line, with its comment. The longest record needs 450,000, if each character is quoted separately. */
const lineMaxLength = 2 ** 20

/** Maximum fields of one record, over all its lines: one more than the longest text has characters. */
const tokensMax = 2 ** 16

const parenthesesMax = 100

/** How many lines without an entry are read in one step. A zone file may be a million empty lines. */
const linesPerStep = 1000

/**
 * Reads a file entry by entry, so that a large one is never in memory as tokens. A line that cannot be read becomes a remark, and
 * reading continues with the next line. Linear in the length of the file.
 * @returns also undefined, so that a file of many lines without entries can be read in slices
 */
export function* readEntries(text: string): Generator<Entry | Remark | undefined> {
  const lines = new Lines()
  let start = text.startsWith('\ufeff') ? 1 : 0
  for (let line = 1; start <= text.length; line += 1) {
    const feed = text.indexOf('\n', start)
    const next = feed < 0 ? text.length : feed
    const found = lines.read(text, start, next > start && text[next - 1] === '\r' ? next - 1 : next, line)
    if (found !== undefined || line % linesPerStep === 0) yield found
    start = next + 1
  }
  const unclosed = lines.end()
  if (unclosed !== undefined) yield unclosed
}

/** Only space and tab are blanks, as in BIND: other white space, in ASCII or Unicode, is part of a word. */
const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t'

const endsWord = (character: string | undefined): boolean =>
  isBlank(character) ||
  character === ';' ||
  character === '"' ||
  character === '(' ||
  character === ')' ||
  character === '\r'

class Lines {
  #entry: (Entry & { tokens: Token[] }) | undefined
  /** Characters of the entry's tokens. */
  #length = 0
  /** The lines of the parentheses that are open. */
  #open: number[] = []
  #isIndented = false

  /** @returns the entry that ends with the line, or the problem in it */
  read(text: string, start: number, end: number, line: number): Entry | Remark | undefined {
    if (this.#open.length === 0) this.#isIndented = start < end && isBlank(text[start])
    const problem =
      end - start > lineMaxLength
        ? `has ${end - start} characters, more than the ${lineMaxLength} that a line may have`
        : this.#tokens(text, start, end, line)
    if (problem !== undefined) return this.#giveUp(line, problem)
    if (this.#open.length > 0) return undefined
    const entry = this.#entry
    this.#entry = undefined
    return entry
  }

  /** @returns the problem at the end of the file */
  end(): Remark | undefined {
    const unclosed = this.#open.at(-1)
    return unclosed === undefined ? undefined : this.#giveUp(unclosed, 'a parenthesis is not closed')
  }

  #giveUp(line: number, text: string): Remark {
    this.#entry = undefined
    this.#open = []
    return { line, text }
  }

  /** @returns the problem */
  #tokens(text: string, start: number, end: number, line: number): string | undefined {
    for (let at = start; at < end;) {
      const character = text[at]
      if (character === ';') return undefined
      if (character === '(' || character === ')') {
        const problem = this.#parenthesis(character, line)
        if (problem !== undefined) return problem
      }
      if (isBlank(character) || character === '(' || character === ')') {
        at += 1
        continue
      }
      const isQuoted = character === '"'
      const from = isQuoted ? at + 1 : at
      const to = isQuoted ? closingQuote(text, from, end) : wordEnd(text, from, end)
      if (to < 0) return isQuoted ? 'a quotation mark is not closed on its line' : 'a line ends in a backslash'
      if (to === at) return 'a carriage return is not at the end of its line'
      const problem = this.#token({ text: text.slice(from, to), isQuoted }, line)
      if (problem !== undefined) return problem
      at = isQuoted ? to + 1 : to
    }
    return undefined
  }

  #parenthesis(character: '(' | ')', line: number): string | undefined {
    if (character === ')')
      return this.#open.pop() === undefined ? 'a parenthesis is closed that was not opened' : undefined
    return this.#open.push(line) > parenthesesMax ? `more than ${parenthesesMax} parentheses are open` : undefined
  }

  #token(token: Token, line: number): string | undefined {
    if (this.#entry === undefined) {
      this.#entry = { line, isIndented: this.#isIndented, tokens: [] }
      this.#length = 0
    }
    this.#entry.tokens.push(token)
    this.#length += token.text.length
    if (this.#length > recordValueMaxLength) return `a record has more than ${recordValueMaxLength} characters`
    return this.#entry.tokens.length > tokensMax ? `a record has more than ${tokensMax} fields` : undefined
  }
}

/** @returns the index after the word, or -1 if it ends in a backslash */
function wordEnd(text: string, from: number, end: number): number {
  let at = from
  for (; at < end && !endsWord(text[at]); at += 1) if (text[at] === '\\') at += 1
  return at > end ? -1 : at
}

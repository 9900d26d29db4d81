/** The outer form of a master file (RFC 1035, section 5.1): comments, quotes, parentheses, and which line begins with a blank. */

/** Something about a line of the file. */
export interface Remark {
  readonly line: number
  readonly text: string
}

export interface Token {
  /** As written, its escapes unread, without the quotation marks. */
  readonly text: string
  readonly quoted: boolean
}

/** One record or directive, on one line or, within parentheses, on several. */
export interface Entry {
  /** Where it begins, counted from 1. */
  readonly line: number
  /** Whether it begins with a blank, and so leaves out the owner. */
  readonly indented: boolean
  readonly tokens: readonly Token[]
}

const word = String.raw`[^\s();"\\]+(?:\\[^\n][^\s();"\\]*)*|(?:\\[^\n][^\s();"\\]*)+`
const inQuotes = String.raw`"(?<string>[^"\\\n]*(?:\\[^\n][^"\\\n]*)*)"`
const piece = String.raw`(?<blank>[^\S\n]+)|;[^\n]*|(?<newline>\n)|(?<bracket>[()])|${inQuotes}|(?<word>${word})`

/** Reads a file into its entries. What cannot be read is a problem, and the reading goes on with the next line. */
export function readEntries(text: string): { entries: Entry[]; problems: Remark[] } {
  const reader = new Lines()
  const source = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const next = new RegExp(piece, 'y')
  while (next.lastIndex < source.length) {
    const from = next.lastIndex
    const groups = next.exec(source)?.groups
    const problem = groups === undefined ? unended(source[from]) : reader.take(groups)
    if (problem === undefined) continue
    reader.refuse(problem)
    const end = source.indexOf('\n', from)
    next.lastIndex = end < 0 ? source.length : end
  }
  reader.end()
  return reader
}

/** What no piece begins with has no end. */
const unended = (character: string | undefined): string =>
  character === '"' ? 'a quotation mark is not closed on its line' : 'a line ends in a backslash'

class Lines {
  readonly entries: Entry[] = []
  readonly problems: Remark[] = []
  #line = 1
  #indented = false
  #entry: (Entry & { tokens: Token[] }) | undefined
  /** The lines of the parentheses that are open. */
  #open: number[] = []

  /** @returns what is wrong */
  take({
    blank,
    newline,
    bracket,
    string,
    word: plain,
  }: Readonly<Record<string, string | undefined>>): string | undefined {
    if (newline !== undefined) this.#newline()
    else if (bracket === '(') this.#open.push(this.#line)
    else if (bracket === ')')
      return this.#open.pop() === undefined ? 'a parenthesis is closed that was not opened' : undefined
    else if (blank !== undefined) this.#indented ||= this.#entry === undefined && this.#open.length === 0
    else if (string !== undefined) this.#token({ text: string, quoted: true })
    else if (plain !== undefined) this.#token({ text: plain, quoted: false })
    return undefined
  }

  /** Gives up the entry that is being read. */
  refuse(text: string, line = this.#line): void {
    this.problems.push({ line, text })
    this.#entry = undefined
    this.#open = []
  }

  end(): void {
    const unclosed = this.#open.at(-1)
    if (unclosed === undefined) this.#newline()
    else this.refuse('a parenthesis is not closed', unclosed)
  }

  #newline(): void {
    this.#line += 1
    if (this.#open.length > 0) return
    if (this.#entry !== undefined) this.entries.push(this.#entry)
    this.#entry = undefined
    this.#indented = false
  }

  #token(token: Token): void {
    this.#entry ??= { line: this.#line, indented: this.#indented, tokens: [] }
    this.#entry.tokens.push(token)
  }
}

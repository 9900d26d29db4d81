/**
 * Finds the end of a quoted string (RFC 1035, section 5.1); a backslash escapes the next character. A loop and not a
 * regex: V8 stores a backtracking position for each escape, and millions of them overflow its stack.
 * @param from the index after the opening quotation mark
 * @returns the index of the closing quotation mark, or -1 if it is missing before `end`
 */
export function closingQuote(text: string, from: number, end = text.length): number {
  for (let at = from; at < end; at += 1) {
    const character = text[at]
    if (character === '"') return at
    if (character === '\\') at += 1
  }
  return -1
}

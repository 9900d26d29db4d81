/**
 * Where a quoted string ends (RFC 1035, section 5.1): a backslash takes the character behind it along. A loop and not a
 * regex: V8 keeps a place to come back to for each escape, and has no room for millions of them.
 * @param from behind the opening quotation mark
 * @returns the index of the closing one, or -1 where there is none before `end`
 */
export function closingQuote(text: string, from: number, end = text.length): number {
  for (let at = from; at < end; at += 1) {
    const character = text[at]
    if (character === '"') return at
    if (character === '\\') at += 1
  }
  return -1
}

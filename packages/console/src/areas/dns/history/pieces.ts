/** Long values in a difference: which part of two values differs, and how both are shortened. Pure. */

/** A part of a value. */
export interface Piece {
  readonly text: string
  /** Whether it differs from the other value. */
  readonly isMarked: boolean
}

/** Values with more characters than this are shortened. */
export const wholeMax = 160
/** How many characters of a shortened value are shown beside the marked ones. */
const contextLength = 30

const plain = (text: string): Piece => ({ text, isMarked: false })
const marked = (text: string): Piece => ({ text, isMarked: true })
const withText = (pieces: readonly Piece[]): Piece[] => pieces.filter(({ text }) => text !== '')

/** A value without another one to compare it with. */
export const piecesOf = (value: string, isWhole: boolean): Piece[] => [plain(isWhole ? value : cut(value))]

const cut = (text: string): string => {
  const characters = Array.from(text)
  return characters.length <= wholeMax ? text : `${characters.slice(0, wholeMax).join('')}…`
}

/**
 * A value and the one that replaced it, or the other way round. What differs is marked, unless they have less than half in common: then
 * both are marked whole.
 */
export function comparedPieces(value: string, other: string, isWhole: boolean): Piece[] {
  const [one, two] = [Array.from(value), Array.from(other)]
  const shorter = Math.min(one.length, two.length)
  let start = 0
  while (start < shorter && one[start] === two[start]) start++
  let end = 0
  while (end < shorter - start && one[one.length - 1 - end] === two[two.length - 1 - end]) end++
  if ((start + end) * 2 < Math.max(one.length, two.length)) return [marked(isWhole ? value : cut(value))]
  const before = one.slice(0, start).join('')
  const own = one.slice(start, one.length - end).join('')
  const after = one.slice(one.length - end).join('')
  if (isWhole || one.length <= wholeMax) return withText([plain(before), marked(own), plain(after)])
  return withText([plain(endOf(before)), marked(cut(own)), plain(startOf(after))])
}

const endOf = (text: string): string => {
  const characters = Array.from(text)
  return characters.length <= contextLength ? text : `…${characters.slice(-contextLength).join('')}`
}

const startOf = (text: string): string => {
  const characters = Array.from(text)
  return characters.length <= contextLength ? text : `${characters.slice(0, contextLength).join('')}…`
}

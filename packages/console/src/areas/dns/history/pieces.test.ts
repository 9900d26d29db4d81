import { describe, expect, it } from 'vitest'
import { comparedPieces, piecesOf, wholeMax, type Piece } from './pieces.js'

/** The marked pieces in square brackets. */
const text = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text)).join('')

describe('a replaced value', () => {
  it.each([
    ['192.0.2.1', '192.0.2.7', '192.0.2.[1]', '192.0.2.[7]'],
    ['v=spf1 -all', 'v=spf1 mx -all', 'v=spf1 -all', 'v=spf1 [mx ]-all'],
    ['10 mail.example.net', '20 mail.example.net', '[1]0 mail.example.net', '[2]0 mail.example.net'],
    ['192.0.2.1', '2001:db8::1', '[192.0.2.1]', '[2001:db8::1]'],
    ['aaa', 'aaaa', 'aaa', 'aaa[a]'],
    ['grün 🎉', 'grün 🎈', 'grün [🎉]', 'grün [🎈]'],
    ['', 'a', '[]', '[a]'],
  ])('marks what differs in %j and %j', (before, after, markedBefore, markedAfter) => {
    expect(text(comparedPieces(before, after, false))).toBe(markedBefore)
    expect(text(comparedPieces(after, before, false))).toBe(markedAfter)
  })

  it('is shortened around what differs, and is whole on demand', () => {
    const [start, end] = ['s'.repeat(500), 'e'.repeat(500)]
    expect(text(comparedPieces(`${start}1${end}`, `${start}2${end}`, false))).toBe(
      `…${'s'.repeat(30)}[1]${'e'.repeat(30)}…`,
    )
    expect(text(comparedPieces(`${start}1${end}`, `${start}2${end}`, true))).toBe(`${start}[1]${end}`)
  })

  it('with a long part that differs is shortened there too', () => {
    const [before, after] = [`${'s'.repeat(400)}${'a'.repeat(300)}`, `${'s'.repeat(400)}${'b'.repeat(300)}`]
    expect(text(comparedPieces(before, after, false))).toBe(`…${'s'.repeat(30)}[${'a'.repeat(wholeMax)}…]`)
  })

  it('with nothing in common is marked and shortened as a whole', () => {
    expect(text(comparedPieces('a'.repeat(400), 'b'.repeat(400), false))).toBe(`[${'a'.repeat(wholeMax)}…]`)
    expect(text(comparedPieces('a'.repeat(400), 'b'.repeat(400), true))).toBe(`[${'a'.repeat(400)}]`)
  })
})

it.each([
  ['short', false, 'short'],
  ['a'.repeat(wholeMax), false, 'a'.repeat(wholeMax)],
  ['a'.repeat(wholeMax + 1), false, `${'a'.repeat(wholeMax)}…`],
  ['a'.repeat(wholeMax + 1), true, 'a'.repeat(wholeMax + 1)],
  ['🎉'.repeat(wholeMax), false, '🎉'.repeat(wholeMax)],
])('a value without another one is shortened at its end', (value, isWhole, shown) => {
  expect(text(piecesOf(value, isWhole))).toBe(shown)
})

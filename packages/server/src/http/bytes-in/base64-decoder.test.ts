import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Base64Decoder } from './base64-decoder.js'

function decode(text: string, lengths: readonly number[] = [Infinity]): Buffer {
  const decoder = new Base64Decoder('content')
  const bytes: Buffer[] = []
  const characters = Buffer.from(text, 'latin1')
  for (let at = 0, i = 0; at < characters.length; i++) {
    const length = lengths[Math.min(i, lengths.length - 1)] as number
    bytes.push(decoder.push(characters.subarray(at, at + length)))
    at += length
  }
  return Buffer.concat([...bytes, decoder.end()])
}

it('decodes any bytes in any chunks, with and without padding', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (bytes, lengths) => {
        const padded = Buffer.from(bytes).toString('base64')
        expect(decode(padded, lengths)).toEqual(Buffer.from(bytes))
        expect(decode(padded.replaceAll('=', ''), lengths)).toEqual(Buffer.from(bytes))
      },
    ),
  )
})

const alphabet = /^[A-Za-z0-9+/=]$/
const others = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((c) => !alphabet.test(c))

it('refuses every other character at every place, those of the URL-safe alphabet too', () => {
  expect(others).toHaveLength(191)
  for (const character of others)
    for (let place = 0; place < 8; place++) {
      const text = `${'A'.repeat(place)}${character}${'A'.repeat(7 - place)}`
      for (const lengths of [[Infinity], [1], [3]])
        expect(() => decode(text, lengths), `${character.charCodeAt(0)} at ${place}`).toThrow(/^content must be base64/)
    }
})

it.each(['A', 'AAAAA', 'AA=', 'AAA==', 'AAAA=', 'AAAA==', 'A=', 'A==', '=', '=='])(
  'refuses the incomplete %j',
  (text) => {
    for (const lengths of [[Infinity], [1]])
      expect(() => decode(text, lengths)).toThrow(/^content is not complete base64/)
  },
)

it.each(['AA==A', 'AA=A', 'AA===', '====', 'AAAA==AA'])('refuses %j at once: padding ends the text', (text) => {
  for (const lengths of [[Infinity], [1]]) {
    const decoder = new Base64Decoder('content')
    expect(() => {
      for (const character of lengths[0] === 1 ? text : [text]) decoder.push(Buffer.from(character))
    }).toThrow(/^content must be base64/)
  }
})

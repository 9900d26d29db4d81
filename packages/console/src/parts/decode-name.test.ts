import { expect, it } from 'vitest'
import { decodedName } from './decode-name.js'

it.each([
  ['xn--mller-kva.example', 'müller.example'],
  ['www.XN--MLLER-KVA.example', 'www.müller.example'],
  ['10 5 5060 sip.xn--bcher-kva.example', '10 5 5060 sip.bücher.example'],
  ['xn--e1afmkfd.xn--p1ai', 'пример.рф'],
  ['example.com', undefined],
  ['a-xn--b.example', undefined],
  ['xn--.example', undefined],
  ['xn--99999999.example', undefined],
  // Not the encoded form of anything: "abc" needs no encoding.
  ['xn--abc-.example', undefined],
  // With a right-to-left override, and with a joiner.
  ['xn--ab-g4t.example', undefined],
  ['xn--ab-m1t.example', undefined],
])('%s is decoded as %s', (name, decoded) => {
  expect(decodedName(name)).toBe(decoded)
})

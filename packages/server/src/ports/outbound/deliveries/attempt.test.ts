import { expect, it } from 'vitest'
import { bodyStartMaxBytes } from '../port.js'
import { answerMaxLength, answerText, attemptsMax } from './attempt.js'
import { defaultBackoff } from './retry.js'

it.each<[string, Buffer, string]>([
  ['an empty body', Buffer.alloc(0), ''],
  ['UTF-8', Buffer.from('grüße 🙂'), 'grüße 🙂'],
  ['markup', Buffer.from('<script>alert(1)</script>'), '<script>alert(1)</script>'],
  ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0xc3]), 'a\ufffd\ufffd'],
  ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80]), '\ufffd\ufffd\ufffd'],
  ['NUL', Buffer.from('a\0b'), 'a\ufffdb'],
])('the text of %s has only characters that both databases store', (_, body, text) => {
  expect(answerText(body)).toBe(text)
  expect(answerText(body).isWellFormed()).toBe(true)
})

it('leaves out a character that the limit of the body has cut', () => {
  const body = Buffer.from(`${'x'.repeat(bodyStartMaxBytes - 2)}🙂`).subarray(0, bodyStartMaxBytes)
  expect(answerText(body)).toBe('x'.repeat(bodyStartMaxBytes - 2))
})

it('the text is never longer than the column', () => {
  expect(answerText(Buffer.alloc(bodyStartMaxBytes, 0xff))).toHaveLength(answerMaxLength)
})

it('a delivery has the first attempt, and one after each wait', () => {
  expect(attemptsMax).toBe(1 + defaultBackoff.length)
})

import { expect, it } from 'vitest'
import { oneTimeCode } from './one-time-code.js'

it.each([
  ['Your code is 123456', '123456'],
  ['123456 is your verification code.', '123456'],
  ['G-482913 is your Google verification code.', '482913'],
  ['Your code: 482-913. Do not share it.', '482913'],
  ['Your WhatsApp code: 482 913\nDo not share this code', '482913'],
  ['Ihr Bestätigungscode lautet 4711. Er gilt 10 Minuten.', '4711'],
  ['Votre code de validation est 83920174', '83920174'],
  ['Tu código de verificación es 5520', '5520'],
  ['Код подтверждения: 90210', '90210'],
  ['【某某】您的验证码是665544，请勿泄露。', '665544'],
  ['Payment of EUR 1200.00 on 2026-11-20: TAN 771203', '771203'],
  ['Use PIN 0042 before 17:30', '0042'],
  ['Login at example.com\n\n@example.com #a1B2c3', 'a1B2c3'],
  ['Order 99887766 was sent. Your pickup code is 3141.', '3141'],
])('finds the code in %j', (text, code) => {
  expect(oneTimeCode(text)).toBe(code)
})

it.each([
  ['a text without the word', 'See you at 1830, room 4711'],
  ['an amount', 'Enter the code BANK20 and save €1500 on orders of 2000 EUR'],
  ['a date and a time', 'The code expires on 2026-11-20 at 09:30'],
  ['a telephone number', 'Lost your password? Call +49 30 1234567'],
  ['a long number', 'Your tracking code is 00340434161094042557'],
  ['a text that ends before the code', `code ${'x'.repeat(1_000)} 123456`],
  ['an empty text', ''],
])('finds no code in %s', (_, text) => {
  expect(oneTimeCode(text)).toBeUndefined()
})

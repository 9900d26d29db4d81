import { expect, it } from 'vitest'
import { checkEmail, nickname, password, tokenName, tokenScopes } from './input.js'

it.each([
  ['Ada@Example.COM', 'ada@example.com'],
  [' ada.b+c@mail.example.co.uk ', 'ada.b+c@mail.example.co.uk'],
  ['root@localhost', 'root@localhost'],
  ['ünïcode@bücher.example', 'ünïcode@bücher.example'],
])('the email %s is normalised to %s', (text, email) => {
  expect(checkEmail(text)).toBe(email)
})

it.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'a b@example.com',
  'ada@-x.com',
  'a@b@c.d',
  'ada@example..com',
  'a..b@c.d',
])('the email "%s" is refused', (text) => {
  expect(() => checkEmail(text)).toThrow(`The email must be an address such as you@example.com, not "${text}".`)
})

it('an email has at most 64 characters before the @ and 254 bytes in all', () => {
  expect(() => checkEmail(`${'a'.repeat(65)}@example.com`)).toThrow('must be an address such as')
  const domain = Array.from({ length: 4 }, () => 'd'.repeat(47)).join('.')
  expect(checkEmail(`${'a'.repeat(62)}@${domain}`)).toHaveLength(254)
  expect(() => checkEmail(`${'a'.repeat(63)}@${domain}`)).toThrow('The email must have at most 254 bytes, not 255.')
})

it('messages of API rules name the option of the command line', () => {
  expect(nickname(' Ada ')).toBe('Ada')
  expect(() => nickname('x'.repeat(65))).toThrow(/^--nickname must have at most 64 characters, not 65\.$/)
  expect(() => nickname('a\u202eb')).toThrow(
    /^--nickname must not contain control characters or invisible format characters\.$/,
  )
  expect(password('with spaces ')).toBe('with spaces ')
  expect(() => password('short')).toThrow(/^The password must have 8 to 1024 characters, not 5\.$/)
})

it('scopes are accepted one by one or joined by commas, without duplicates; without any, the default applies', () => {
  expect(tokenScopes(['dns:write,whois:read', 'dns:write', '*'])).toEqual(['dns:write', 'whois:read', '*'])
  expect(tokenScopes([])).toEqual(['dns:read'])
  expect(tokenScopes([''])).toEqual(['dns:read'])
})

it('an unknown scope is refused with the list of all scopes', () => {
  expect(() => tokenScopes(['dns:admin'])).toThrow(
    /^There is no scope "dns:admin"; the scopes are dns:read, dns:write, .*whois:read, and \* for all\.$/,
  )
})

it('a token needs a name of at most 64 characters', () => {
  expect(tokenName(' ci ')).toBe('ci')
  for (const name of ['', '  ', 'x'.repeat(65)])
    expect(() => tokenName(name)).toThrow('--name must have 1 to 64 characters')
  for (const name of ['a\nb', 'a\u001b[31m', 'a\u202eb', 'a\u200bb'])
    expect(() => tokenName(name)).toThrow('--name must not contain control characters or invisible format characters.')
})

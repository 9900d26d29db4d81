import { expect, it } from 'vitest'
import { maskPasswords } from './mask.js'

it.each([
  ['https://u:hunter2@h', 'https://***@h'],
  ['https://u:hunter2@h/path?key=hunter2', 'https://***@h/path?***'],
  ['https://hunter2@h', 'https://***@h'],
  ['https:u:hunter2@h', 'https:***@h'],
  ['powerdns+http://u:hunter2@h:8081', 'powerdns+http://***@h:8081'],
  ['https://u:hun@ter2@h', 'https://***@h'],
  ['https://u:/?#hunter2@h', 'https://***@h'],
  ['htps:/u:hunter2@h', 'htps:/***@h'],
  ['//u:hunter2@h', '***@h'],
  ['u:hunter2@h', 'u:***@h'],
  ['https://h/?key=hunter2', 'https://h/?***'],
])('%s is shown as %s', (text, shown) => {
  expect(maskPasswords(text)).toBe(shown)
})

it.each(['https://h/a', 'https://h?', 'hostmaster@example.com', '127.0.0.1:53', '::1', 'path?query', ''])(
  '%j contains no password and is not masked',
  (text) => {
    expect(maskPasswords(text)).toBe(text)
  },
)

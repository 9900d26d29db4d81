import { expect, it } from 'vitest'
import { basicToken } from './basic-token.js'

const token = `svc_${'0123456789abcdef'.repeat(2)}`
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

it.each<[string, string[]]>([
  ['any user name', ['Authorization', basic(`ada@example.com:${token}`)]],
  ['an empty user name', ['authorization', basic(`:${token}`)]],
  ['a user name beyond ASCII', ['Authorization', basic(`Zoë:${token}`)]],
  ['the scheme in lower case', ['Host', 'x', 'AUTHORIZATION', basic(`a:${token}`).replace('Basic', 'basic')]],
])('finds the token with %s', (_name, rawHeaders) => {
  expect(basicToken(rawHeaders)).toBe(token)
})

it.each<[string, string[]]>([
  ['no header', ['Host', 'example.com']],
  ['an empty header', ['Authorization', '']],
  ['another scheme', ['Authorization', `Bearer ${token}`]],
  ['no colon', ['Authorization', basic(token)]],
  ['the token as the user name', ['Authorization', basic(`${token}:`)]],
  ['a longer password', ['Authorization', basic(`a:${token}0`)]],
  ['a colon in the password', ['Authorization', basic(`a:b:${token}`)]],
  ['an update key', ['Authorization', basic(`a:${token.slice(4)}`)]],
  ['the header twice', ['Authorization', basic(`a:${token}`), 'Authorization', basic(`a:${token}`)]],
  ['text that is not base64', ['Authorization', 'Basic ä']],
  ['the credentials alone', ['Authorization', basic(`a:${token}`).slice('Basic '.length)]],
])('finds no token with %s', (_name, rawHeaders) => {
  expect(basicToken(rawHeaders)).toBeUndefined()
})

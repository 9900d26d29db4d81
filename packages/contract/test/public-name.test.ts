import { expect, it } from 'vitest'
import { isPublicName } from '../src/index.js'

it.each([
  ['ns1.example.net', true],
  ['localhost.example.net', true],
  ['ns1.mylocal', true],
  ['ns1.svc.example', true],
  ['localhost', false],
  ['ns1.localhost', false],
  ['ns1', false],
  ['ns1.office.local', false],
  ['ns1.internal', false],
  ['ns1.home.arpa', false],
  ['router.lan', false],
])('%s can exist in the public DNS: %s', (name, isPublic) => {
  expect(isPublicName(name)).toBe(isPublic)
})

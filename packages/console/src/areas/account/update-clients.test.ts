import { expect, it } from 'vitest'
import { ddclientConfig, inadynConfig, updateName } from './update-clients.js'

const client = { serverUrl: 'https://api.example.com', token: 'svc_1', name: 'home.example.com' }
const rule = { kind: 'zone', name: 'example.com' }

it('the host of a key is the one of its rule, with its zone', () => {
  expect(
    updateName([
      { kind: 'site', name: 'docs' },
      { ...rule, hosts: ['home'] },
    ]),
  ).toBe('home.example.com')
  expect(updateName([{ ...rule, hosts: ['@'] }])).toBe('example.com')
  expect([updateName(null), updateName([rule])]).toEqual([undefined, undefined])
})

it('the configurations name the server, its port and the path of a proxy', () => {
  expect(ddclientConfig(client)).toContain('ssl=yes\nuse=web, web=https://api.example.com/v1/public/ip\n')
  expect(ddclientConfig(client)).toMatch(/server=api\.example\.com\nlogin=svc\npassword=svc_1\nhome\.example\.com$/)
  const below = { ...client, serverUrl: 'http://127.0.0.1:8080/svc' }
  expect(ddclientConfig(below)).toContain('server=127.0.0.1:8080\nscript=/svc/nic/update\n')
  expect(inadynConfig(client)).toContain(
    'ddns-path      = "/nic/update?hostname=%h&myip=%i"\n    ssl            = true',
  )
  expect(inadynConfig(below)).toContain('checkip-path   = "/svc/v1/public/ip"\n    checkip-ssl    = false')
})

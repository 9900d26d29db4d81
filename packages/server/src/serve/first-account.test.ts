import { describe, expect, it } from 'vitest'
import { readConfig } from '../config/config.js'
import type { Certificate } from '../ports/certificates/port.js'
import { firstAccountHint, uncertifiedHost } from './first-account.js'

const commands = (env: Record<string, string>) =>
  firstAccountHint(readConfig({ env }), 'http://127.0.0.1:8080', '7KQF-M2XA').split('\n')

it('names the console with the code, and the two commands', () => {
  expect(commands({})).toEqual([
    'There is no account yet.',
    'Open http://127.0.0.1:8080/console and enter the code 7KQF-M2XA to create the first account.',
    'Or create it, and a token for it, with these commands:',
    '  npx svc user add you@example.com',
    "  npx svc token add you@example.com --name first --scope '*'",
    '',
  ])
})

it.each([
  [{ SVC_DATA: '/var/lib/svc' }, ' --data /var/lib/svc'],
  [{ SVC_DATA: "/it's here" }, String.raw` --data '/it'\''s here'`],
  [{ SVC_DATABASE: 'sqlite:/x/y.db' }, ' --database sqlite:/x/y.db'],
  [{ SVC_DATA: '/x', SVC_DATABASE: 'sqlite:/x/svc.db' }, ' --data /x'],
])('adds the flag that selects the database of this server: %o', (env, flags) => {
  expect(commands(env)[3]).toBe(`  npx svc user add you@example.com${flags}`)
})

it('shows the console at its public address', () => {
  expect(commands({ SVC_PUBLIC_URL: 'https://api.example.com' })[1]).toMatch(
    /^Open https:\/\/api\.example\.com\/console /,
  )
})

it('does not print the password of PostgreSQL', () => {
  const hint = commands({ SVC_DATABASE: 'postgres://u:hunter2@h/d' })
  expect(hint[2]).toContain('with SVC_DATABASE set as for the server')
  expect(hint.join()).not.toContain('hunter2')
})

describe('while svc ends TLS itself', () => {
  const config = readConfig({ env: { SVC_PUBLIC_URL: 'https://api.example.com', SVC_ACME: 'on' } })
  const hint = (names: readonly string[]) => {
    const find = (name: string) => (names.includes(name) ? ({} as Certificate) : undefined)
    return firstAccountHint(config, 'http://127.0.0.1:8080', '7KQF-M2XA', uncertifiedHost(config, { find }))
  }

  it('says how to create the account before there is a certificate for the console', () => {
    expect(hint(['example.net']).split('\n')).toEqual([
      'There is no account yet.',
      'As soon as svc has a certificate for api.example.com, open https://api.example.com/console and enter the code 7KQF-M2XA to create the first account.',
      'Until then, browsers cannot open it: create the account, and a token for it, with these commands:',
      '  npx svc user add you@example.com',
      "  npx svc token add you@example.com --name first --scope '*'",
      'With the token, programs on this machine can use the API at http://127.0.0.1:8080.',
      '',
    ])
  })

  it('leads to the console if a certificate is for its host', () => {
    expect(hint(['api.example.com'])).toContain('\nOpen https://api.example.com/console and enter the code 7KQF-M2XA')
    expect(hint(['api.example.com'])).not.toContain('Until then')
  })
})

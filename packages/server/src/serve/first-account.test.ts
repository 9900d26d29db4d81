import { expect, it } from 'vitest'
import { readConfig } from '../config.js'
import { firstAccountHint } from './first-account.js'

const commands = (env: Record<string, string>) => firstAccountHint(readConfig({ env })).split('\n')

it('names the two commands', () => {
  expect(commands({})).toEqual([
    'There is no account yet. Create the first one and a token for it:',
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
  expect(commands(env)[1]).toBe(`  npx svc user add you@example.com${flags}`)
})

it('does not print the password of PostgreSQL', () => {
  const hint = commands({ SVC_DATABASE: 'postgres://u:hunter2@h/d' })
  expect(hint[0]).toContain('with SVC_DATABASE set as for the server')
  expect(hint.join()).not.toContain('hunter2')
})

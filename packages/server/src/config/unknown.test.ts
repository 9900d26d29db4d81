import { expect, it } from 'vitest'
import { unknownVariables } from './unknown.js'

it.each([
  ['SVC_PROT', 'SVC_PROT is set, but it is not a setting: did you mean SVC_PORT?'],
  ['SVC_TRUSTED_PROXIES', 'SVC_TRUSTED_PROXIES is set, but it is not a setting: did you mean SVC_TRUST_PROXY?'],
  ['SVC_DATABASE_URL', 'SVC_DATABASE_URL is set, but it is not a setting: did you mean SVC_DATABASE?'],
  ['SVC_SOMETHING_ELSE', 'SVC_SOMETHING_ELSE is set, but it is not a setting: svc serve --help lists all settings'],
])('warns about %s', (name, warning) => {
  expect(unknownVariables({ [name]: 'x' })).toEqual([warning])
})

it('does not warn about settings, those of other commands and other variables, and never shows a value', () => {
  expect(
    unknownVariables({
      SVC_PORT: '1',
      SVC_EXPORT_KEY: 'x',
      SVC_TOKEN: 'x',
      SVC_URL: 'x',
      SVC_DNS_PRIMARY: '192.0.2.1',
      SVC_DNS_PRIMARY_KEY: 'x',
      SVC_DNS_PRIMARY_KEY_FILE: 'x',
      PATH: '/bin',
      svc_prot: '1',
      NOT_SVC_X: '1',
    }),
  ).toEqual([])
  expect(unknownVariables({ SVC_PASSWORD: 'hunter2' }).join()).not.toContain('hunter2')
})

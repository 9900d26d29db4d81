import { describe, expect, it } from 'vitest'
import { refusal, set } from '../../test/read-settings.js'
import { describeDatabase } from './config.js'

/** Passwords in settings are never printed. */

it('the error for a database URL does not quote it', () => {
  for (const url of ['hunter2', 'mysql://root:hunter2@h/d', 'postgres://u:hunter2@h:x/d', 'postgres://u:hunter2@/d'])
    expect(refusal({ SVC_DATABASE: url }).message).not.toContain('hunter2')
})

it.each([
  ['SVC_PUBLIC_URL', 'https://u:hunter2@h'],
  ['SVC_PUBLIC_URL', 'https://h/?key=hunter2'],
  ['SVC_DNS', 'powerdns+http://u:hunter2@h:8081'],
  ['SVC_DNS', 'powerdns+http://u:/hunter2@h:8081'],
  ['SVC_EDGE', 'varnish+http://u:hunter2@h:6081'],
  ['SVC_FX_URL', 'https://u:hunter2@h/usd.json'],
  ['SVC_FX_URL', 'htps://h/usd.json?key=hunter2'],
  ['SVC_NAMESERVERS', 'https://u:hunter2@h'],
  ['SVC_RESOLVERS', 'https://u:hunter2@h'],
  ['SVC_TRUST_PROXY', 'http://u:hunter2@h'],
  ['SVC_HOST', 'u:hunter2@h'],
])('the error does not show the password in %s=%s', (env, text) => {
  for (const { message } of [
    refusal({ [env]: text }),
    refusal({}, { [env.slice(4).toLowerCase().replaceAll('_', '-')]: text }),
  ]) {
    expect(message).toContain('***')
    expect(message).not.toContain('hunter2')
  }
})

describe('describeDatabase', () => {
  it.each([
    ['sqlite:/x/svc.db', 'sqlite:/x/svc.db'],
    ['postgres://u:hunter2@h:5433/d?sslmode=require&password=hunter2', 'postgres://h:5433/d'],
    ['postgres://u:hunter2@h/d', 'postgres://h/d'],
    ['postgres:///d?host=/run/postgresql', 'postgres:///run/postgresql/d'],
  ])('shows %s without user and password', (url, shown) => {
    expect(describeDatabase(set({ SVC_DATABASE: url }).database)).toBe(shown)
  })
})

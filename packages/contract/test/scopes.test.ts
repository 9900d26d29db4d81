import { describe, expect, it } from 'vitest'
import { acceptedScopes, defaultScopes, isTokenScope, scopes, type Scope } from '../src/scopes.js'

describe('acceptedScopes', () => {
  it.each<[readonly Scope[], readonly Scope[]]>([
    [[], []],
    [['dns:read'], ['dns:read', 'dns:write']],
    [['dns:write'], ['dns:write']],
    [
      ['cred:read', 'cred:write'],
      ['cred:read', 'cred:write'],
    ],
    [['sms:read'], ['sms:read', 'sms:write']],
    [
      ['packages:read', 'dns:write'],
      ['dns:write', 'packages:read', 'packages:write'],
    ],
    // There is no whois:write to be accepted.
    [['whois:read'], ['whois:read']],
  ])('%j is met by any of %j', (asked, accepted) => {
    expect(acceptedScopes(asked)).toEqual(accepted)
  })

  it('never lets a read scope write', () => {
    for (const scope of scopes.filter((one) => one.endsWith(':write'))) expect(acceptedScopes([scope])).toEqual([scope])
  })
})

describe('the scopes of section 5.5', () => {
  it('are these', () => {
    const areas = ['dns', 'account', 'cred', 'files', 'cdn', 'sms', 'sites', 'deploy', 'domain', 'packages']
    expect(scopes).toEqual([...areas.flatMap((area) => [`${area}:read`, `${area}:write`]), 'whois:read'])
    expect(defaultScopes).toEqual(['dns:read'])
  })

  it.each([...scopes, '*'])('a token may be given %s', (scope) => expect(isTokenScope(scope)).toBe(true))

  it.each(['', 'dns', 'dns:*', 'DNS:read', 'dns:read ', 'whois:write', 'toString'])(
    'a token may not be given %j',
    (text) => expect(isTokenScope(text)).toBe(false),
  )
})

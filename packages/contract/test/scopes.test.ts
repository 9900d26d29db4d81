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
    // The scope whois:write does not exist.
    [['whois:read'], ['whois:read']],
  ])('%j is satisfied by any of %j', (asked, accepted) => {
    expect(acceptedScopes(asked)).toEqual(accepted)
  })

  it('a read scope does not satisfy a write scope', () => {
    for (const scope of scopes.filter((one) => one.endsWith(':write'))) expect(acceptedScopes([scope])).toEqual([scope])
  })
})

describe('the scopes', () => {
  it('are those of section 5.5', () => {
    const areas = ['dns', 'account', 'cred', 'files', 'cdn', 'sms', 'sites', 'deploy', 'domain', 'packages']
    expect(scopes).toEqual([...areas.flatMap((area) => [`${area}:read`, `${area}:write`]), 'whois:read'])
    expect(defaultScopes).toEqual(['dns:read'])
  })

  it.each([...scopes, '*'])('a token may have %s', (scope) => expect(isTokenScope(scope)).toBe(true))

  it.each(['', 'dns', 'dns:*', 'DNS:read', 'dns:read ', 'whois:write', 'toString'])('a token may not have %j', (text) =>
    expect(isTokenScope(text)).toBe(false),
  )
})

import { describe, expect, it } from 'vitest'
import { acceptedScopes, defaultScopes, isTokenScope, scopes, type Scope } from '../src/scopes.js'
import { scopeNames } from './specification.js'

describe('acceptedScopes', () => {
  it.each<[readonly Scope[], readonly Scope[]]>([
    [[], []],
    [['dns:read'], ['dns:read', 'dns:write']],
    [['files:read'], ['files:read', 'files:write']],
    [['dns:write'], ['dns:write']],
    [
      ['cred:read', 'cred:write'],
      ['cred:read', 'cred:write'],
    ],
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
  it('the scopes are those of section 5.5', () => {
    expect(scopes).toEqual(scopeNames)
    expect(defaultScopes).toEqual(['dns:read'])
  })

  it.each([...scopes, '*'])('a token may have %s', (scope) => expect(isTokenScope(scope)).toBe(true))

  it.each(['', 'dns', 'dns:*', 'DNS:read', 'dns:read ', 'whois:write', 'toString'])('a token may not have %j', (text) =>
    expect(isTokenScope(text)).toBe(false),
  )
})

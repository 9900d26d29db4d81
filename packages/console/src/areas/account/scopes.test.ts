import { areas, operations, requiredScopes, scopes } from '@svc/contract'
import { expect, it } from 'vitest'
import { firstCall, scopeRows, scopesFor, scopeText } from './scopes.js'

it('the rows have every scope once, and every operation that requires a scope', () => {
  expect(scopeRows.flatMap(({ read, write }) => [read, write]).filter((scope) => scope !== undefined)).toEqual([
    ...scopes,
  ])
  const listed = new Set(scopeRows.flatMap(({ reads, writes }) => [...reads, ...writes]))
  expect(operations.filter((op) => requiredScopes(op).length > 0 && !listed.has(op))).toEqual([])
})

it('a scope is shown with the word of the navigation', () => {
  expect(scopeText('cred:read')).toBe('Credentials (cred:read)')
  expect(scopeText('deploy:write')).toBe('Forms and links (deploy:write)')
  expect(scopeText('*')).toBe('Everything')
})

it('write includes read, so both are never needed', () => {
  expect(scopesFor([areas.dns.zoneList])).toEqual(['dns:read'])
  expect(scopesFor([areas.dns.zoneList, areas.dns.recordCreate])).toEqual(['dns:write'])
  expect(scopesFor([areas.account.me])).toEqual([])
})

it('the first call is one that the scopes allow', () => {
  expect(firstCall(['dns:write']).id).toBe('dns.zoneList')
  expect(firstCall(['files:read']).id).toBe('files.list')
  expect(firstCall(['*']).id).toBe('dns.zoneList')
  expect(firstCall(['whois:read']).id).toBe('account.me')
})

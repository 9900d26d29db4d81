import { expect, it } from 'vitest'
import { noRule, ruleDraftsOf, rulesOf, ruleText } from './rules.js'

/** The rules of a key in the form and in the list. */

const acme = {
  kind: 'zone',
  name: 'example.com',
  hosts: ['_acme-challenge', '_acme-challenge.**'],
  types: ['TXT'],
  access: 'write',
} as const
const site = { kind: 'site', name: 'docs', access: 'read' } as const

it('the form keeps the rules of a key', () => {
  expect(rulesOf(ruleDraftsOf([acme, site]))).toEqual([acme, site])
  expect([ruleDraftsOf(null), rulesOf([])]).toEqual([[], null])
})

it('hosts and types are sent for zones only, and not if they are empty', () => {
  const draft = { ...noRule, name: ' example.com ', hosts: ' www, @  ', types: ['A' as const] }
  expect(rulesOf([draft])).toEqual([
    { kind: 'zone', name: 'example.com', hosts: ['www', '@'], types: ['A'], access: 'write' },
  ])
  expect(rulesOf([{ ...draft, kind: 'site', name: 'docs' }])).toEqual([{ kind: 'site', name: 'docs', access: 'write' }])
  expect(rulesOf([{ ...noRule, name: 'a.com' }])).toEqual([{ kind: 'zone', name: 'a.com', access: 'write' }])
})

it('the list shows the first rules', () => {
  expect(ruleText([acme, site])).toBe('zone example.com (TXT at _acme-challenge _acme-challenge.**), site docs to read')
  expect(ruleText([site, site, site, site])).toBe('site docs to read, site docs to read, site docs to read, …')
})

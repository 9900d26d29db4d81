import { expect, it } from 'vitest'
import { tokenRules } from './token-rules.js'

/** Rules of a token as the command line gets them. */

it('each rule is JSON, and gets its canonical form', () => {
  const site = '{"kind":"site","name":"docs","access":"write"}'
  const zone = '{"kind":"zone","name":"Example.com","hosts":["_ACME-challenge"],"access":"write"}'
  expect(tokenRules([site, zone])).toEqual([
    { kind: 'site', name: 'docs', access: 'write' },
    { kind: 'zone', name: 'example.com', hosts: ['_acme-challenge'], access: 'write' },
  ])
})

it('any removes all rules', () => {
  expect(tokenRules(['any'])).toBeNull()
})

it.each([
  [['site'], /^--rule must be one rule as JSON, such as \{.*\}, or any, not "site"\.$/],
  [['any', 'any'], /^--rule any is for no rules: give no rule with it\.$/],
  [['{"kind":"site","name":"docs","access":"write"}', 'any'], /^--rule any is for no rules/],
  [['[]'], /^--rule: rules\[0\] must be /],
  [['{"kind":"site","name":"docs"}'], /^--rule: rules\[0\]\.access is required/],
  [['{"kind":"site","name":"docs","access":"write","more":1}'], /^--rule: rules\[0\]\.more is not known/],
  [['{"kind":"site","name":"Docs","access":"write"}'], /^--rule: rules\[0\]\.name must be the name of a site/],
  [['{"kind":"zone","name":"a.com","hosts":[],"access":"read"}'], /^--rule: rules\[0\]\.hosts must /],
])('%j is refused', (given, message) => {
  expect(() => tokenRules(given)).toThrow(message)
})

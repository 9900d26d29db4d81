import { describe, expect, it } from 'vitest'
import { ruleKinds } from '@svc/contract'
import { ruleNames } from '../../../app/rule-names.js'
import type { Rule } from '../../../shared/rules.js'
import { checkRules } from './check-rules.js'
import { isRules, parseRules } from './stored-rules.js'

/** What a token can have as rules. */

const check = (...rules: Rule[]) => checkRules(rules, ruleNames)
const write = { access: 'write' } as const
const ofZone = (...hosts: string[]): Rule => ({ kind: 'zone', name: 'example.com', hosts, ...write })

it('rules get their canonical form, each host and type once', () => {
  expect(
    check({
      kind: 'zone',
      name: 'BÜCHER.example.',
      hosts: ['', '@', 'WWW', '*.Dyn', '**', '_ACME-challenge.**', 'straße'],
      types: ['TXT', 'A', 'TXT'],
      ...write,
    }),
  ).toEqual([
    {
      kind: 'zone',
      name: 'xn--bcher-kva.example',
      hosts: ['@', 'www', '*.dyn', '**', '_acme-challenge.**', 'xn--strae-oqa'],
      types: ['TXT', 'A'],
      ...write,
    },
  ])
  expect(check({ kind: 'zone', name: '2.0.192.in-addr.arpa', access: 'read' })).toHaveLength(1)
})

describe('a rule for something that cannot exist is refused, and its field is named', () => {
  it.each<[Rule, RegExp]>([
    [{ kind: 'zone', name: 'www.example.com', ...write }, /^rules\[0\]\.name must be the apex domain example\.com/],
    [{ kind: 'zone', name: 'com', ...write }, /^rules\[0\]\.name /],
    [{ kind: 'zone', name: '192.0.2.1', ...write }, /^rules\[0\]\.name /],
    [{ kind: 'zone', name: '', ...write }, /^rules\[0\]\.name /],
    [{ kind: 'site', name: 'Docs', ...write }, /^rules\[0\]\.name must be the name of a site: .*, not "Docs"\.$/],
    [{ kind: 'site', name: '-a', ...write }, /^rules\[0\]\.name /],
    [{ kind: 'package', name: 'a'.repeat(64), ...write }, /^rules\[0\]\.name must be the slug of a package/],
    [{ kind: 'deployment', name: 'a_b', ...write }, /^rules\[0\]\.name must be the slug of a deployment/],
    [{ kind: 'credential', name: '', ...write }, /^rules\[0\]\.name must be a platform/],
    [{ kind: 'credential', name: 'x'.repeat(129), ...write }, /^rules\[0\]\.name must be a platform/],
    [{ kind: 'credential', name: 'a\nb', ...write }, /^rules\[0\]\.name must not contain/],
    [{ kind: 'site', name: 'docs', hosts: ['www'], ...write }, /^rules\[0\]\.hosts is only for rules of zones/],
    [{ kind: 'package', name: 'tool', types: ['A'], ...write }, /^rules\[0\]\.types is only for rules of zones/],
    [ofZone('ok', 'a..b'), /^rules\[0\]\.hosts\[1\] /],
    [ofZone('www.example.com'), /^rules\[0\]\.hosts\[0\] must be relative to the zone/],
    [ofZone('a.*'), /^rules\[0\]\.hosts\[0\] /],
    [ofZone('a*.b'), /^rules\[0\]\.hosts\[0\] /],
    [ofZone('**.a'), /^rules\[0\]\.hosts\[0\] must have \*\* as its last label only/],
    [ofZone('a**'), /^rules\[0\]\.hosts\[0\] /],
    [ofZone('***'), /^rules\[0\]\.hosts\[0\] /],
    [ofZone('**.**'), /^rules\[0\]\.hosts\[0\] must have \*\* as its last label only/],
    [ofZone('.**'), /^rules\[0\]\.hosts\[0\] must begin with a label/],
    [ofZone('@.**'), /^rules\[0\]\.hosts\[0\] must begin with a label/],
    [ofZone('b b'), /^rules\[0\]\.hosts\[0\] /],
    [ofZone(`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(58)}.**`), /The host and the zone/],
    [ofZone(...Array.from({ length: 101 }, (_, i) => `h${String(i)}`)), /^rules must have at most 100 hosts in all/],
  ])('%j', (rule, message) => {
    expect(() => check(rule)).toThrow(message)
  })
})

it('stored rules are read as they were written; damaged ones give no rights', () => {
  const rules = check(ofZone('www', '*.dyn'), { kind: 'site', name: 'docs', access: 'read' })
  expect(parseRules(JSON.stringify(rules))).toEqual(rules)
  expect(isRules(rules)).toBe(true)
  const nothing = ruleKinds.map((kind) => ({ kind, name: '', access: 'read' }))
  for (const damaged of [
    [],
    {},
    null,
    [{ ...rules[0], hosts: [] }],
    [{ ...rules[0], kind: 'zones' }],
    [{ ...rules[0], types: ['SOA'] }],
    [{ ...rules[0], more: 1 }],
    [{ ...rules[1], hosts: ['www'] }],
    [{ ...rules[1], name: '' }],
    ['zone'],
    Array.from({ length: 51 }, () => rules[1]),
  ]) {
    expect(isRules(damaged), JSON.stringify(damaged)).toBe(false)
    expect(parseRules(JSON.stringify(damaged))).toEqual(nothing)
  }
  expect(parseRules('[{"kind":')).toEqual(nothing)
})

import { expect, it } from 'vitest'
import { keyTemplates } from './key-templates.js'
import { rulesOf } from './rules.js'

it('every template has scopes', () => {
  for (const { label, scopes } of keyTemplates) expect(scopes, label).not.toEqual([])
})

it('a template for one thing has a rule without a name, so that the form asks for it', () => {
  for (const { label, rules } of keyTemplates)
    expect(
      rules.map(({ name }) => name),
      label,
    ).toEqual(label.includes(' one ') ? [''] : [])
})

it('the rule for ACME has only the challenges', () => {
  const [rule] = keyTemplates.find(({ label }) => label.startsWith('ACME'))?.rules ?? []
  expect(rule && rulesOf([{ ...rule, name: 'example.com' }])).toEqual([
    {
      kind: 'zone',
      name: 'example.com',
      hosts: ['_acme-challenge', '_acme-challenge.**'],
      types: ['TXT'],
      access: 'write',
    },
  ])
})

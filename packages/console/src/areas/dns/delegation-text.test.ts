import { expect, it } from 'vitest'
import { delegationText } from './delegation-text.js'
import type { Delegation } from './queries.js'

type Resolver = Delegation['lookup']['resolvers'][number]

const expected = ['ns1.svc.example', 'ns2.svc.example']
const answer = (result: Resolver['result'], ...values: string[]): Resolver => ({
  resolver: '192.0.2.53',
  result,
  values,
  more: 0,
})

it.each<[Delegation['state'], readonly Resolver[], string]>([
  ['live', [answer('found', ...expected)], 'The public DNS has ns1.svc.example and ns2.svc.example for example.com.'],
  [
    'waiting',
    [answer('found', 'ns1.old.example', 'ns1.svc.example'), answer('found', 'ns1.old.example')],
    'Waiting for the registrar, which still has ns1.old.example.',
  ],
  [
    'waiting',
    [answer('found', 'ns1.svc.example')],
    'Waiting for the registrar, which does not have ns2.svc.example yet.',
  ],
  [
    'waiting',
    [answer('nxdomain')],
    'Waiting for the registrar: the public DNS has no nameservers for example.com yet.',
  ],
  [
    'waiting',
    [answer('found', ...expected), answer('nxdomain')],
    'Waiting for the registrar: not all resolvers have the nameservers yet.',
  ],
  [
    'unknown',
    [answer('timeout'), answer('invalid')],
    'The nameservers of example.com could not be looked up: 192.0.2.53 did not answer in time and 192.0.2.53 answered with an error.',
  ],
])('a delegation that is %s, after %o', (state, resolvers, text) => {
  const lookup: Delegation['lookup'] = {
    type: 'NS',
    name: 'example.com',
    expected,
    looked_up_at: '',
    resolvers: [...resolvers],
  }
  expect(delegationText({ zone: 'example.com', state, lookup })).toBe(text)
})

import { expect, it } from 'vitest'
import type { LookUp } from '../../resolver/port.js'
import { leadsHere, ownAddresses, type OwnPlaces } from './leads-here.js'

const zones: Record<string, string[]> = {
  'ours.test': ['ns2.svc.test', 'ns.other.test'],
  'moved.test': ['ns.other.test', 'ns\u001b[2J.other.test'],
  'undelegated.test': [],
}
const hosts: Record<string, string[]> = {
  'www.moved.test': ['192.0.2.1', '2001:db8::1'],
  'half.test': ['192.0.2.1', '198.51.100.7'],
  'local.test': ['127.0.0.1', '::1'],
  'changed.test': ['192.0.2.1'],
}

/** The reply of a resolver that answers, beside those of others. */
const replies = (values: readonly string[] = [], old: readonly string[] = []): LookUp => [
  { resolver: '192.0.2.53', result: 'timeout', values: [] },
  { resolver: '192.0.2.54', result: old.length === 0 ? 'nxdomain' : 'found', values: old },
  { resolver: '192.0.2.55', result: values.length === 0 ? 'nxdomain' : 'found', values },
]

const places: OwnPlaces = {
  resolver: {
    ns: async (zone) => replies(zones[zone]),
    addresses: async (name) => replies(hosts[name], name === 'changed.test' ? ['203.0.113.1'] : []),
  },
  zoneOf: async (name) => Object.keys(zones).find((zone) => name === zone || name.endsWith(`.${zone}`)),
  nameservers: ['ns1.svc.test', 'NS2.svc.test'],
  addresses: ['192.0.2.1', '2001:db8::1'],
}
const problemOf = leadsHere(places)

it.each(['ours.test', '*.ours.test', 'deep.www.ours.test'])('%s leads here by its nameservers', async (name) => {
  expect(await problemOf(name)).toBeUndefined()
})

it.each(['www.moved.test', 'local.test', 'changed.test'])(
  '%s leads here by its addresses, if only for one resolver',
  async (name) => {
    expect(await problemOf(name)).toBeUndefined()
  },
)

it.each([
  [
    '*.moved.test',
    'The domain moved.test has ns.other.test, ns??2J.other.test, not ns1.svc.test or NS2.svc.test: change its NS records at the registrar.',
  ],
  [
    '*.undelegated.test',
    'The domain undelegated.test has no nameserver, not ns1.svc.test or NS2.svc.test: change its NS records at the registrar.',
  ],
  [
    '*.elsewhere.test',
    'svc does not serve the zone of *.elsewhere.test, and only DNS can prove a wildcard: claim elsewhere.test, or give it to an account with svc dns assign elsewhere.test EMAIL.',
  ],
  ['half.test', 'half.test leads to 198.51.100.7, not to 192.0.2.1 or 2001:db8::1.'],
  ['nowhere.test', 'nowhere.test has no address: it must lead to 192.0.2.1 or 2001:db8::1.'],
])('%s does not lead here, and the problem says why', async (name, problem) => {
  expect(await problemOf(name)).toBe(problem)
})

it('names the setting if the addresses of the server are not known', async () => {
  expect(await leadsHere({ ...places, addresses: [] })('half.test')).toBe(
    'half.test leads to 192.0.2.1, 198.51.100.7, and svc knows no address of this server: its operator must set SVC_SITES_ADDRESSES.',
  )
})

it.each([
  ['0.0.0.0', []],
  ['::', []],
  ['0:0::0', []],
  ['127.0.0.2', []],
  ['::1', []],
  ['localhost', []],
  ['198.51.100.1', ['198.51.100.1']],
  ['2001:db8::2', ['2001:db8::2']],
])('SVC_HOST=%s is an address of the server only if other machines reach it there', (host, own) => {
  expect(ownAddresses({ host, sitesAddresses: [] })).toEqual(own)
  expect(ownAddresses({ host, sitesAddresses: ['192.0.2.1'] })).toEqual(['192.0.2.1', ...own])
})

import { expect, it } from 'vitest'
import { timestamp } from '../../../shared/timestamp.js'
import type { Claim } from './claim.js'
import { claimWriter, toJson } from './presenter.js'

const nameservers = ['ns1.example.net', 'ns2.example.net']
const common = { createdAt: 1_795_000_000_000 }

it.each<Omit<Claim, 'zone' | 'createdAt'>>([
  { status: 'verified', method: 'auto', txtValue: null },
  { status: 'pending', method: 'txt', txtValue: 'svc-verify=abc' },
  { status: 'verified', method: 'txt', txtValue: 'svc-verify=abc' },
  { status: 'pending', method: 'ns', txtValue: null },
  { status: 'verified', method: 'ns', txtValue: null },
])('a list and a single read show the same fields of a $status claim by $method', (kind) => {
  for (const zone of ['xn--grn-ioa.com', 'home.lan', '10.in-addr.arpa']) {
    const claim = { ...common, zone, ...kind }
    const listed: unknown = JSON.parse(claimWriter(nameservers)(claim))
    expect(listed).toEqual({ ...toJson(claim, nameservers), created_at: timestamp(claim.createdAt) })
  }
})

import { syncBuiltinESMExports } from 'node:module'
import os, { networkInterfaces } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { reachableAddresses } from './public-networks.js'

describe('without allowed networks', () => {
  const isReachable = reachableAddresses([])

  it.each(['8.8.8.8', '2001:4860:4860::8888', '::ffff:8.8.8.8', '64:ff9b::808:808', '64:ff9b::8.8.8.8'])(
    '%s is reachable',
    (address) => {
      expect(isReachable(address)).toBe(true)
    },
  )

  it.each([
    ['unspecified', '0.0.0.0 0.1.2.3 ::'],
    ['loopback', '127.0.0.1 127.255.255.254 ::1'],
    ['private', '10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1'],
    ['unique local and site-local', 'fc00::1 fd12::1 fec0::1'],
    ['link-local, with the metadata of clouds', '169.254.169.254 fe80::1 fe80::1%eth0'],
    ['carrier-grade NAT', '100.64.0.1 100.127.255.255'],
    ['multicast and broadcast', '224.0.0.1 239.255.255.255 255.255.255.255 ff02::1'],
    ['documentation and benchmark', '192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 2001:db8::1 3fff::1 2001:2::1'],
    ['reserved', '192.0.0.1 240.0.0.1 192.88.99.1 100::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:c0a8:101 0:0:0:0:0:ffff:a00:1'],
    ['IPv4-compatible and IPv4-translated', '::127.0.0.1 ::8.8.8.8 ::ffff:0:7f00:1'],
    ['NAT64 of a special address', '64:ff9b::7f00:1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::c0a8:1'],
    ['NAT64 of a network', '64:ff9b:1::7f00:1 64:ff9b:1::808:808'],
    ['6to4 and Teredo', '2002:7f00:1:: 2002:808:808:: 2001::1'],
    ['not an address', '127.1 0x7f000001 2130706433 localhost'],
  ])('%s addresses are not reachable: %s', (_, addresses) => {
    for (const address of addresses.split(' ')) expect(isReachable(address), address).toBe(false)
  })
})

it('the addresses of this machine are not reachable, even those of the internet', () => {
  const isReachable = reachableAddresses([])
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
  expect(own.length).toBeGreaterThan(0)
  expect(own.filter((address) => isReachable(address))).toEqual([])
})

it('reads the addresses of this machine once for all addresses of a name', () => {
  const read = vi.spyOn(os, 'networkInterfaces')
  syncBuiltinESMExports()
  try {
    expect(reachableAddresses([])(...Array.from({ length: 16 }, (_, n) => `8.8.8.${String(n)}`))).toBe(true)
    expect(read).toHaveBeenCalledTimes(1)
  } finally {
    read.mockRestore()
    syncBuiltinESMExports()
  }
})

describe('with allowed networks', () => {
  const isReachable = reachableAddresses(['192.168.7.0/24', '127.0.0.2/32', 'fd12::/16'])

  it.each([
    '192.168.7.1',
    '192.168.7.255',
    '127.0.0.2',
    '::ffff:192.168.7.9',
    '64:ff9b::c0a8:709',
    'fd12::1',
    '8.8.8.8',
  ])('%s is reachable', (address) => {
    expect(isReachable(address)).toBe(true)
  })

  it.each(['192.168.8.1', '127.0.0.1', 'fd13::1', '::1', '10.0.0.1'])(
    '%s is not reachable with allowed networks',
    (address) => {
      expect(isReachable(address)).toBe(false)
    },
  )
})

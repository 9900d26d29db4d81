import { expect, it } from 'vitest'
import { networkLimit } from './network-limit.js'

const isAccepted = (count: (deploymentId: number, ip: string) => void, deploymentId: number, ip: string) => {
  try {
    count(deploymentId, ip)
    return true
  } catch {
    return false
  }
}

it('429 with Retry-After beyond the maximum of a deployment and a network', () => {
  const count = networkLimit(10, 'submissions')
  for (let i = 0; i < 10; i++) count(1, `192.0.2.${String(i)}`)
  expect(() => count(1, '192.0.2.200')).toThrow(
    expect.objectContaining({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/) as unknown },
    }),
  )
  expect(isAccepted(count, 2, '192.0.2.1')).toBe(true)
  expect(isAccepted(count, 1, '198.51.100.1')).toBe(true)
})

it('limits this machine and networks of IPv6 too', () => {
  const count = networkLimit(10, 'submissions')
  const accepted = (ips: readonly string[]) => ips.filter((ip) => isAccepted(count, 1, ip)).length
  expect(accepted(Array.from({ length: 20 }, () => '127.0.0.1'))).toBe(10)
  expect(accepted(Array.from({ length: 20 }, (_, i) => `2001:db8::${String(i)}`))).toBe(10)
})

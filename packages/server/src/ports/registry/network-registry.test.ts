import { expect, it, vi } from 'vitest'
import { Deadline } from '../dns/deadline.js'
import { RegistryBusy, RegistryRateLimited, RegistryUnavailable } from './errors.js'
import { networkRegistry } from './network-registry.js'
import { Pace } from './pace.js'
import { RegistryError } from './port.js'

const soonMs = 10_000
const unusable = new RegistryError('unusable')

it.each<[string, Error, boolean]>([
  ['an unusable answer', unusable, true],
  ['a server that is down', new RegistryUnavailable('down'), true],
  ['a rate limit', new RegistryRateLimited(), false],
  ['too many look-ups', new RegistryBusy(), false],
  ['a bug', new TypeError('bug'), false],
])('WHOIS is asked after %s of RDAP: $2', async (_, failure, asksWhois) => {
  const whois = vi.fn().mockResolvedValue(undefined)
  const ask = networkRegistry({
    pace: new Pace({ warn: vi.fn() }),
    rdap: () => Promise.reject(failure),
    whois,
    rdapServersOf: () => ['https://rdap.example/'],
  })
  const call = ask({ domain: 'example.com', deadline: Deadline.in(soonMs), signal: new AbortController().signal })
  if (asksWhois) expect(await call).toBeUndefined()
  else await expect(call).rejects.toBe(failure)
  expect(whois).toHaveBeenCalledTimes(asksWhois ? 1 : 0)
})

import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort } from '../../../../../../test/servers/index.js'
import { embeddedDns, type EmbeddedDns } from '../../../ports/dns/embedded/embedded-dns.js'
import { seenAtNameservers } from './nameserver-views.js'

/** Two nameservers on the same port, as a primary and its secondary are. */

const zone = 'views.test'
const name = `_acme-challenge.${zone}`
const challenges = [{ name, value: 'wanted' }]
const { signal } = new AbortController()
let port: number
let primary: EmbeddedDns
let secondary: EmbeddedDns
beforeEach(async () => {
  port = await freePort()
  const start = (host: string) =>
    embeddedDns({ host, port, nameservers: ['ns1.views.test'], log: pino({ level: 'silent' }) })
  ;[primary, secondary] = [await start('127.0.0.1'), await start('127.0.0.2')]
})
afterEach(async () => {
  await primary.close()
  await secondary.close()
})

const serve = (dns: EmbeddedDns, serial: number, ...values: string[]) => {
  const records = values.map((value) => ({ value, priority: null }))
  return dns.setZone({ zone, serial, rrsets: [{ name, type: 'TXT', ttl: 1, records }] })
}

const addresses: Record<string, string[]> = {
  'ns1.views.test': ['127.0.0.1'],
  'ns2.views.test': ['127.0.0.2'],
  'silent.views.test': ['127.0.0.3'],
}
const seen = (nameservers: string[], deadlineMs = 60_000) =>
  seenAtNameservers({
    nameservers,
    addressesOf: async (of) => addresses[of] ?? Promise.reject(new Error('The name does not exist.')),
    port,
    deadlineMs,
  })

it('waits until the secondary has the value, too', async () => {
  await serve(primary, 1, 'wanted')
  await serve(secondary, 1, 'of another order')
  let isSeen = false
  const wait = seen(['ns1.views.test', 'ns2.views.test'])(challenges, signal).then(() => {
    isSeen = true
  })
  await seen(['ns1.views.test'])(challenges, signal)
  expect(isSeen).toBe(false)
  await serve(secondary, 2, 'of another order', 'wanted')
  await wait
  expect(isSeen).toBe(true)
})

it('leaves out servers that do not answer, names that do not exist, and servers that have another zone', async () => {
  await serve(primary, 1, 'wanted')
  const nameservers = ['ns1.views.test', 'ns2.views.test', 'silent.views.test', 'missing.views.test']
  await expect(seen(nameservers)(challenges, signal)).resolves.toBeUndefined()
})

it('fails at its deadline with the address of the server that is behind', async () => {
  await serve(primary, 1)
  await expect(seen(['ns1.views.test'], 1)(challenges, signal)).rejects.toThrow(
    'The nameserver at 127.0.0.1 does not have the values of the challenge yet.',
  )
})

it('ends when the order ends', async () => {
  await serve(primary, 1)
  const controller = new AbortController()
  const wait = seen(['ns1.views.test'])(challenges, controller.signal)
  controller.abort()
  await expect(wait).rejects.toThrow(/abort/i)
})

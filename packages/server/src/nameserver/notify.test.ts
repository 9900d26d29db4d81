import { encode } from 'dns-packet'
import { expect, it } from 'vitest'
import { primaryKey } from '../../test/fake-primary.js'
import { keyOf } from '../ports/dns/wire/names.js'
import type { Signer } from '../ports/dns/protocol/messages.js'
import { notifyProtocols } from './notify.js'

const unsigned: Signer = { kind: 'none' }
const bySecret: Signer = { kind: 'operator', name: 'far' }

/** The RCODE of the answer, and the zones that are asked for. */
async function taken(signer: Signer, address: string, change: (packet: Buffer) => Buffer = (packet) => packet) {
  const zones: string[] = []
  const { handlers } = notifyProtocols({
    primary: '192.0.2.1',
    key: { ...primaryKey, secret: Buffer.from(primaryKey.secret) },
    notify: (zone) => zones.push(zone) > 0 && zone === keyOf('example.test'),
  })
  const packet = encode({ type: 'query', id: 1, flags: 4 << 11, questions: [{ type: 'SOA', name: 'Example.test' }] })
  const { signal } = new AbortController()
  const client = { address, port: 53, transport: 'udp' as const }
  const code = await handlers.notify?.({ packet: change(packet), client, signer, mac: Buffer.alloc(0), signal })
  return [code, zones.length]
}

it.each<[string, Signer, string, (number | undefined)[]]>([
  ['that is signed', bySecret, '198.51.100.9', [0, 1]],
  ['from the address of the primary', unsigned, '192.0.2.1', [0, 1]],
  ['from that address on a socket for IPv6', unsigned, '::ffff:192.0.2.1', [0, 1]],
  ['from another address', unsigned, '192.0.2.2', [5, 0]],
])('a NOTIFY %s', async (_, signer, address, outcome) => {
  expect(await taken(signer, address)).toEqual(outcome)
})

it('a malformed NOTIFY is answered with FORMERR', async () => {
  expect(await taken(bySecret, '192.0.2.1', (packet) => packet.subarray(0, 14))).toEqual([1, 0])
})

it('only the key of the primary is known', async () => {
  const { keys } = notifyProtocols({
    primary: '192.0.2.1',
    key: { ...primaryKey, secret: Buffer.from(primaryKey.secret) },
    notify: () => true,
  })
  expect([await keys.byName('far'), await keys.byName('other')]).toEqual([
    expect.objectContaining({ name: 'far' }),
    undefined,
  ])
})

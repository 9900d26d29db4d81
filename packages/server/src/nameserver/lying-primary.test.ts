import type { Answer } from 'dns-packet'
import { beforeEach, describe, expect, it } from 'vitest'
import { address, soa, text, type FakePrimary } from '../../test/fake-primary.js'
import { FarSite } from '../../test/far-site.js'

const site = new FarSite()

/** Appends a record with pointers as its data, each to the one before it, and one whose name is the last of them. */
function pointerChain(message: Buffer): Buffer {
  const pointers = Buffer.alloc(2 * 5_000)
  const head = Buffer.from([0xc0, 12, 0xff, 0, 0, 1, 0, 0, 0, 60, 0, 0])
  head.writeUInt16BE(pointers.length, 10)
  const from = message.length + head.length
  for (let at = 0; at < pointers.length; at += 2) pointers.writeUInt16BE(0xc000 | (at === 0 ? 12 : from + at - 2), at)
  const last = Buffer.from([0, 0, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])
  last.writeUInt16BE(0xc000 | (from + pointers.length - 2), 0)
  const whole = Buffer.concat([message, head, pointers, last])
  whole.writeUInt16BE(3, 6)
  return whole
}

describe('a lying primary', () => {
  beforeEach(async () => {
    site.setCatalog(1, { a: 'example.test', b: 'good.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    site.setZone('good.test', 5, '192.0.2.2')
  })

  const lies: Record<string, FakePrimary['lie']> = {
    'sends nothing': async () => new Promise((resolve) => setTimeout(resolve, 1_000, true)),
    'ends without the last SOA': async ({ message, send }) => {
      await send(message([soa('example.test', 5), address('www.example.test', '192.0.2.66')]))
      return true
    },
    'sends records without end': async ({ message, send }) => {
      await send(message([soa('example.test', 5)]))
      for (let n = 0; ; n++)
        await send(message(Array.from({ length: 500 }, (_, m) => text(`t${String(n)}-${String(m)}.example.test`, 'x'))))
    },
    'begins with another record': async ({ message, send }) => {
      await send(message([address('www.example.test', '192.0.2.66'), soa('example.test', 5)]))
      return true
    },
    'sends records after the end': async ({ message, send }) => {
      await send(message([soa('example.test', 5), soa('example.test', 5), address('www.example.test', '192.0.2.66')]))
      return true
    },
    'changes the serial in between': async ({ message, send }) => {
      await send(message([soa('example.test', 5), address('www.example.test', '192.0.2.66'), soa('example.test', 6)]))
      return true
    },
    'sends malformed data': async ({ message, send }) => {
      const packet = message([soa('example.test', 5), address('www.example.test', '192.0.2.66')])
      packet.writeUInt16BE(9, packet.length - 6)
      await send(packet)
      return true
    },
    'sends a name that points to itself': async ({ message, send }) => {
      const packet = message([
        soa('example.test', 5),
        { type: 'CNAME', name: 'l.example.test', ttl: 1, data: 'abcdef.test' },
      ])
      packet.writeUInt16BE(0xc000 | (packet.length - 13), packet.length - 13)
      await send(packet)
      return true
    },
    'sends records whose names lead through thousands of pointers': async ({ message, send }) => {
      await send(pointerChain(message([soa('example.test', 5)])))
      await send(message([soa('example.test', 5)]))
      return true
    },
    'sends an RRset that no answer has room for': async ({ message, send }) => {
      const records = Array.from({ length: 300 }, (_, n) => text('big.example.test', String(n).padStart(250, '0')))
      await send(message([soa('example.test', 5), ...records.slice(0, 150)]))
      await send(message([...records.slice(150), soa('example.test', 5)]))
      return true
    },
    'sends a name with records of hundreds of types': async ({ message, send }) => {
      const typed = (n: number): Answer => ({
        ...text('www.example.test', ''),
        type: `UNKNOWN_${n}` as 'NULL',
        data: Buffer.of(1),
      })
      await send(message([soa('example.test', 5), ...Array.from({ length: 300 }, (_, n) => typed(1000 + n))]))
      await send(message([soa('example.test', 5)]))
      return true
    },
    refuses: async ({ message, send }) => {
      await send(message([], { rcode: 5 }))
      return true
    },
  }

  it.each(Object.keys(lies))('that %s changes no copy and holds up no other zone', async (name) => {
    site.primary.lie = (request) => (request.zone === 'example.test' ? lies[name]!(request) : false)
    await site.start({ limits: { transferRecords: 20_000 } })
    await expect.poll(() => site.resolved('www.good.test')).toBe('192.0.2.2')
    expect(await site.resolved('www.example.test')).toBe('SERVFAIL')
    site.primary.lie = () => false
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
    await expect
      .poll(async () => JSON.parse((await site.status('/healthz')).text))
      .toMatchObject({ zones: { pending: 0 } })
  })
})

describe('the connection to the primary', () => {
  beforeEach(async () => {
    site.setCatalog(1, { a: 'example.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    await site.start()
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
    site.setZone('example.test', 6, '192.0.2.5')
  })

  it('is a new connection after the primary has closed the last one', async () => {
    await site.primary.close()
    await site.primary.open()
    await site.notify('example.test')
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.5')
  })

  it('uses TCP when there is no answer over UDP', async () => {
    site.primary.isSilent = true
    await site.notify('example.test')
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.5')
    expect(site.primary.asked).toContain('SOA example.test tcp')
  })

  it('/metrics has transfers, zones and answers', async () => {
    const { text: metrics } = await site.status('/metrics')
    expect(metrics).toMatch(/^svc_dns_transfers_total\{kind="axfr"\} 2$/m)
    expect(metrics).toMatch(/^svc_dns_zones\{state="served"\} 1$/m)
    expect(metrics).toMatch(/^svc_dns_answers_total\{rcode="noerror"\} \d+$/m)
    expect(await site.status('/other')).toMatchObject({ status: 404 })
  })
})

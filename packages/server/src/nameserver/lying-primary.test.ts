import { beforeEach, describe, expect, it } from 'vitest'
import { address, soa, text, type FakePrimary } from '../../test/fake-primary.js'
import { FarSite } from '../../test/far-site.js'

const site = new FarSite()

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

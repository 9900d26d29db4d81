import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ensure } from '../../../../../../test/servers/index.js'
import { exchangeUdp, queryPacket } from '../../../../test/dns-ask.js'
import { exampleNameserver, short, soa } from '../../../../test/nameserver-example.js'

const query = exampleNameserver()

describe('delegations', () => {
  it.each(['sub.example.test', 'www.sub.example.test', 'hidden.sub.example.test', 'a.lower.sub.example.test'])(
    '%s: referral with glue, without authority',
    async (name) => {
      const reply = await query(name, 'A')
      expect(reply).toMatchObject({ rcode: 'NOERROR', aa: false, answers: [] })
      expect(short(reply.authority)).toEqual([
        'sub.example.test NS ns.sub.example.test',
        'sub.example.test NS ns1.example.test',
        'sub.example.test NS ns.unknown.test',
      ])
      expect(short(reply.additional)).toEqual([
        'ns.sub.example.test A 192.0.2.60',
        'ns.sub.example.test AAAA 2001:db8::60',
        'ns1.example.test A 192.0.2.53',
      ])
    },
  )

  it('DS: the parent zone answers (RFC 4035, section 3.1.4.1)', async () => {
    const reply = await query('sub.example.test', 'DS')
    expect(reply).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [], authority: [soa('example.test', 7)] })
    expect(await query('x.sub.example.test', 'DS')).toMatchObject({ aa: false, authority: { length: 3 } })
  })

  it('names below a delegation are not added as additional data', async () => {
    expect((await query('mx-below.example.test', 'MX')).additional).toEqual([])
  })

  it('glue that does not fit: truncated answer (RFC 9471)', async () => {
    expect(await query('www.crowd.example.test', 'A', { edns: 1232 })).toMatchObject({ tc: true })
    const whole = await query('www.crowd.example.test', 'A', { tcp: true })
    expect(whole).toMatchObject({ tc: false, authority: { length: 30 }, additional: { length: 30 } })
  })
})

describe('additional data', () => {
  it('additional data of MX: each host once, also from other zones of the same holder', async () => {
    expect(short((await query('example.test', 'MX')).additional)).toEqual([
      'mail.example.test A 192.0.2.2',
      'mail.example.test AAAA 2001:db8::2',
      'mx.other.test A 192.0.2.101',
    ])
  })

  it('additional data of SRV: the addresses of the target', async () => {
    expect((await query('_sip._tcp.example.test', 'SRV')).additional).toHaveLength(2)
  })
})

describe('size limits', () => {
  it('a query without EDNS: 512 octets over UDP, whole answers over TCP', async () => {
    expect(await query('half.example.test', 'TXT')).toMatchObject({ tc: true, answers: [], edns: undefined })
    expect(await query('half.example.test', 'TXT', { edns: 1232 })).toMatchObject({ tc: false, answers: { length: 1 } })
    expect(await query('half.example.test', 'TXT', { tcp: true })).toMatchObject({ tc: false, answers: { length: 1 } })
  })

  it('a query with a larger EDNS size: 1232 octets over UDP', async () => {
    expect(await query('big.example.test', 'TXT', { edns: 4096 })).toMatchObject({ tc: true, answers: [] })
    expect(await query('big.example.test', 'TXT', { tcp: true })).toMatchObject({ tc: false, answers: { length: 1 } })
  })

  it('a query with an EDNS size below 512: 512 octets (RFC 6891, section 6.2.3)', async () => {
    expect(await query('mail.example.test', 'A', { edns: 0 })).toMatchObject({ tc: false, answers: { length: 1 } })
  })

  it('a truncated answer has the whole RRsets before the one that does not fit', async () => {
    const reply = await query('to-big.example.test', 'TXT', { edns: 1232 })
    expect(reply.tc).toBe(true)
    expect(short(reply.answers)).toEqual(['to-big.example.test CNAME big.example.test'])
  })
})

describe('EDNS (RFC 6891)', () => {
  it('the answer has the UDP size of svc and the DO bit of the query (RFC 3225)', async () => {
    expect((await query('mail.example.test', 'A', { edns: 4096 })).edns).toEqual({
      udpSize: 1232,
      dnssecOk: false,
      version: 0,
    })
    expect((await query('mail.example.test', 'A', { edns: 4096, dnssecOk: true })).edns).toMatchObject({
      dnssecOk: true,
    })
    expect((await query('mail.example.test', 'A')).edns).toBeUndefined()
  })

  it('a refusal has an OPT too', async () => {
    expect(await query('unknown.test', 'A', { edns: 1232 })).toMatchObject({
      rcode: 'REFUSED',
      edns: { udpSize: 1232 },
    })
  })
})

describe('special queries', () => {
  it('ANY gets one RRset (RFC 8482)', async () => {
    const reply = await query('mail.example.test', 'ANY', { tcp: true })
    expect(new Set(reply.answers.map(({ type }) => type)).size).toBe(1)
    expect((await query('alias.example.test', 'ANY')).answers).toHaveLength(1)
    expect((await query('inner.other.test', 'ANY')).answers).toMatchObject([{ type: 'SOA' }])
    expect((await query('missing.example.test', 'ANY')).rcode).toBe('NXDOMAIN')
  })

  it.each(['AXFR', 'IXFR'])('%s is refused', async (type) => {
    expect(await query('example.test', type, { tcp: true })).toMatchObject({ rcode: 'REFUSED', answers: [] })
  })

  it('an IXFR of dig, with an SOA (RFC 1995), is refused', async () => {
    const run = promisify(execFile)
    const args = ['@127.0.0.1', '-p', String(query.port()), 'example.test', 'IXFR=1', '+noall', '+comments', '+tries=1']
    for (const transport of ['+tcp', '+notcp']) {
      // dig exits with an error code for a failed transfer.
      const { stdout } = await run(ensure('dig'), [...args, transport]).catch(
        (error: unknown) => error as { stdout: string },
      )
      expect(stdout).toContain('REFUSED')
    }
  })

  it('the answer copies RD, and clears CD, AD, RA and Z (RFC 4035, section 3.1.6)', async () => {
    const packet = queryPacket('mail.example.test', 'A')
    packet.writeUInt16BE(0x01f0, 2)
    const reply = await exchangeUdp(packet, query.port())
    expect(reply.readUInt16BE(2)).toBe(0x8500)
  })

  it('the answer keeps the letter case of the question, also in names that point to it', async () => {
    const reply = await query('MaIl.ExAmPlE.tEsT', 'A')
    expect(reply.question).toBe('MaIl.ExAmPlE.tEsT A')
    expect(reply.answers[0]!.name).toBe('MaIl.ExAmPlE.tEsT')
  })
})

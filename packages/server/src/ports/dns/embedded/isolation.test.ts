import { describe, expect, it } from 'vitest'
import { exampleNameserver, short, soa } from '../../../../test/nameserver-example.js'

/** Zones of one account must not appear in the answers of another account's zones: any account can claim any name. */

const query = exampleNameserver()

describe('aliases into a zone', () => {
  it('aliases into a zone of the same account are followed', async () => {
    expect(short((await query('abroad.example.test', 'A')).answers)).toEqual([
      'abroad.example.test CNAME www.other.test',
      'www.other.test A 192.0.2.100',
    ])
    expect(short((await query('www.inner.foreign.test', 'A')).answers)).toContain('www.other.test A 192.0.2.100')
  })

  it.each([
    ['foreign.example.test', 'www.foreign.test'],
    ['nowhere-foreign.example.test', 'missing.foreign.test'],
    ['released.example.test', 'www.released.test'],
    ['back.foreign.test', 'www.example.test'],
    ['to-unheld.released.test', 'mail.unheld.test'],
  ])('aliases into a zone of another account, or of no account, are not followed: %s', async (name, target) => {
    for (const type of ['A', 'TXT', 'MX', 'DS', 'ANY']) {
      const reply = await query(name, type, { tcp: true })
      expect(reply).toMatchObject({ rcode: 'NOERROR', aa: true, tc: false, authority: [], additional: [] })
      expect(short(reply.answers)).toEqual([`${name} CNAME ${target}`])
    }
  })

  it('aliases within a released zone are followed', async () => {
    expect((await query('alias.released.test', 'A')).answers).toHaveLength(2)
  })
})

describe('additional addresses', () => {
  it('additional addresses of MX and SRV come from zones of the same account only', async () => {
    for (const name of ['hosts.example.test', '_sip._udp.example.test'])
      expect(short((await query(name, name.startsWith('_') ? 'SRV' : 'MX')).additional)).toEqual([
        'mx.other.test A 192.0.2.101',
      ])
    expect(short((await query('released.test', 'MX')).additional)).toEqual(['mail.released.test A 192.0.2.131'])
  })

  it('additional addresses of NS come from zones of the same account only, those of a delegation from its own zone', async () => {
    expect(short((await query('other.test', 'NS')).additional)).toEqual(['ns1.example.test A 192.0.2.53'])
    expect((await query('foreign.test', 'NS')).additional).toEqual([])
    expect((await query('released.test', 'NS')).additional).toEqual([])
    const reply = await query('www.cut.example.test', 'A')
    expect(reply).toMatchObject({ aa: false, authority: { length: 3 } })
    expect(short(reply.additional)).toEqual(['mail.example.test A 192.0.2.2', 'mail.example.test AAAA 2001:db8::2'])
  })
})

describe('the DS of a zone', () => {
  it('the DS of a zone is not answered from the zone above when that one belongs to another account', async () => {
    const reply = await query('inner.foreign.test', 'DS')
    expect(reply).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [] })
    expect(reply.authority).toEqual([soa('inner.foreign.test', 15)])
  })
})

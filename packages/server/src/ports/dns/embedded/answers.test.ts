import { describe, expect, it } from 'vitest'
import { exampleNameserver, short, soa } from '../../../../test/nameserver-example.js'

const query = exampleNameserver()

describe('the apex', () => {
  it('SOA', async () => {
    const said = await query('example.test', 'SOA')
    expect(said).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [soa('example.test', 7, 3600)], authority: [] })
  })

  it('NS, with the addresses that we serve', async () => {
    const said = await query('example.test', 'NS')
    expect(short(said.answers)).toEqual(['example.test NS ns1.example.test', 'example.test NS ns2.unknown.test'])
    expect(short(said.additional)).toEqual(['ns1.example.test A 192.0.2.53'])
    expect(short((await query('other.test', 'NS')).additional)).toEqual(['ns1.example.test A 192.0.2.53'])
  })

  it('the DS of a zone whose parent is not ours is not there', async () => {
    expect(await query('example.test', 'DS')).toMatchObject({ rcode: 'NOERROR', authority: [soa('example.test', 7)] })
  })

  it('the DS of a zone whose parent is ours is asked of the parent (RFC 4035, section 3.1.4.1)', async () => {
    const said = await query('inner.other.test', 'DS')
    expect(said).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [], authority: [soa('other.test', 9)] })
  })
})

describe('what is not there', () => {
  it('no such name: NXDOMAIN and the SOA, for as long as it may be remembered (RFC 2308)', async () => {
    const said = await query('missing.example.test', 'A')
    expect(said).toMatchObject({ rcode: 'NXDOMAIN', aa: true, answers: [], authority: [soa('example.test', 7)] })
  })

  it('no such type: NOERROR and the SOA', async () => {
    const said = await query('mail.example.test', 'TXT')
    expect(said).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [], authority: [soa('example.test', 7)] })
  })

  it('an empty non-terminal is there (RFC 4592, section 2.2.2)', async () => {
    expect(await query('down.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(await query('x.down.example.test', 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
  })

  it('types that nobody has heard of are no data', async () => {
    expect(await query('mail.example.test', 'UNKNOWN_65280')).toMatchObject({ rcode: 'NOERROR', answers: [] })
  })

  it('zones that are not ours are refused, without authority', async () => {
    for (const name of ['unknown.test', 'www.unknown.test', 'test', '.', 'xexample.test'])
      expect(await query(name, 'A')).toMatchObject({ rcode: 'REFUSED', aa: false, answers: [], authority: [] })
  })
})

describe('aliases', () => {
  it('are followed within the zone', async () => {
    const said = await query('alias.example.test', 'A')
    expect(short(said.answers)).toEqual([
      'alias.example.test CNAME second.example.test',
      'second.example.test CNAME mail.example.test',
      'mail.example.test A 192.0.2.2',
    ])
    expect(said.aa).toBe(true)
  })

  it('are followed to the apex, and its pointers are right', async () => {
    const said = await query('apex.example.test', 'MX')
    expect(short(said.answers)[1]).toBe('example.test MX 10 mail.example.test')
    expect(said.additional).toHaveLength(3)
  })

  it('are followed into other zones of ours', async () => {
    expect(short((await query('abroad.example.test', 'A')).answers)).toEqual([
      'abroad.example.test CNAME www.other.test',
      'www.other.test A 192.0.2.100',
    ])
    const none = await query('abroad.example.test', 'TXT')
    expect(none).toMatchObject({ rcode: 'NOERROR', authority: [soa('other.test', 9)] })
  })

  it('end where others serve', async () => {
    const said = await query('away.example.test', 'A')
    expect(short(said.answers)).toEqual(['away.example.test CNAME www.unknown.test'])
    expect(said).toMatchObject({ rcode: 'NOERROR', authority: [] })
  })

  it('to nothing are NXDOMAIN, which is for the last name (RFC 6604)', async () => {
    const said = await query('nowhere.example.test', 'A')
    expect(said).toMatchObject({ rcode: 'NXDOMAIN', aa: true, authority: [soa('example.test', 7)] })
    expect(short(said.answers)).toEqual(['nowhere.example.test CNAME missing.example.test'])
  })

  it('to a name without the type are NOERROR and the SOA', async () => {
    const said = await query('nodata.example.test', 'TXT')
    expect(said).toMatchObject({ rcode: 'NOERROR', authority: [soa('example.test', 7)] })
    expect(said.answers).toHaveLength(1)
  })

  it('are the answer when they are asked for', async () => {
    expect((await query('alias.example.test', 'CNAME')).answers).toHaveLength(1)
  })

  it('in a circle come once round', async () => {
    expect(short((await query('loop1.example.test', 'A')).answers)).toEqual([
      'loop1.example.test CNAME loop2.example.test',
      'loop2.example.test CNAME loop1.example.test',
    ])
    expect((await query('self.example.test', 'A')).answers).toHaveLength(1)
    expect((await query('b.round.example.test', 'A')).answers).toHaveLength(2)
  })

  it('into a delegation end in a referral, and keep their authority', async () => {
    const said = await query('into.example.test', 'A')
    expect(short(said.answers)).toEqual(['into.example.test CNAME www.sub.example.test'])
    expect(short(said.authority)[0]).toBe('sub.example.test NS ns.sub.example.test')
    expect(said.aa).toBe(true)
  })
})

describe('wildcards (RFC 4592)', () => {
  it.each(['x.wild.example.test', 'x.y.wild.example.test', '*.wild.example.test', 'x.there2.wild.example.test'])(
    'answers for %s',
    async (name) => {
      expect(short((await query(name, 'A')).answers)).toEqual([`${name} A 192.0.2.4`])
    },
  )

  it('not for a name that is there, nor below it', async () => {
    expect(await query('there.wild.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(await query('x.there.wild.example.test', 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
  })

  it('not for an empty non-terminal, nor below it', async () => {
    expect(await query('ent.wild.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(await query('x.ent.wild.example.test', 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
  })

  it('not for its parent', async () => {
    expect(await query('wild.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
  })

  it('has no data for types it lacks', async () => {
    expect(await query('x.wild.example.test', 'TXT')).toMatchObject({
      rcode: 'NOERROR',
      authority: [soa('example.test', 7)],
    })
  })

  it('brings additional data', async () => {
    expect((await query('x.wild.example.test', 'MX')).additional).toHaveLength(2)
  })

  it('may be an alias', async () => {
    expect(short((await query('x.chain.example.test', 'A')).answers)).toEqual([
      'x.chain.example.test CNAME mail.example.test',
      'mail.example.test A 192.0.2.2',
    ])
  })
})

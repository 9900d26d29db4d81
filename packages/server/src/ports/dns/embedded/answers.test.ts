import { describe, expect, it } from 'vitest'
import { exampleNameserver, short, soa } from '../../../../test/nameserver-example.js'

const query = exampleNameserver()

describe('the apex', () => {
  it('SOA: answers with authority', async () => {
    const reply = await query('example.test', 'SOA')
    expect(reply).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [soa('example.test', 7, 3600)], authority: [] })
  })

  it('NS: adds the addresses that are served here', async () => {
    const reply = await query('example.test', 'NS')
    expect(short(reply.answers)).toEqual(['example.test NS ns1.example.test', 'example.test NS ns2.unknown.test'])
    expect(short(reply.additional)).toEqual(['ns1.example.test A 192.0.2.53'])
    expect(short((await query('other.test', 'NS')).additional)).toEqual(['ns1.example.test A 192.0.2.53'])
  })

  it('DS, with a parent zone that is not served here: NOERROR without data', async () => {
    expect(await query('example.test', 'DS')).toMatchObject({ rcode: 'NOERROR', authority: [soa('example.test', 7)] })
  })

  it('DS, with a parent zone that is served here: the parent zone answers (RFC 4035, section 3.1.4.1)', async () => {
    const reply = await query('inner.other.test', 'DS')
    expect(reply).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [], authority: [soa('other.test', 9)] })
  })
})

describe('negative answers', () => {
  it('nonexistent name: NXDOMAIN and the SOA, with the TTL for negative caching (RFC 2308)', async () => {
    const reply = await query('missing.example.test', 'A')
    expect(reply).toMatchObject({ rcode: 'NXDOMAIN', aa: true, answers: [], authority: [soa('example.test', 7)] })
  })

  it('missing type: NOERROR and the SOA', async () => {
    const reply = await query('mail.example.test', 'TXT')
    expect(reply).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [], authority: [soa('example.test', 7)] })
  })

  it('empty non-terminal: NOERROR (RFC 4592, section 2.2.2)', async () => {
    expect(await query('down.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(await query('x.down.example.test', 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
  })

  it('unassigned type: NOERROR without data', async () => {
    expect(await query('mail.example.test', 'UNKNOWN_65280')).toMatchObject({ rcode: 'NOERROR', answers: [] })
  })

  it('name outside all zones: REFUSED without authority', async () => {
    for (const name of ['unknown.test', 'www.unknown.test', 'test', '.', 'xexample.test'])
      expect(await query(name, 'A')).toMatchObject({ rcode: 'REFUSED', aa: false, answers: [], authority: [] })
  })
})

describe('aliases', () => {
  it('aliases are followed within the zone', async () => {
    const reply = await query('alias.example.test', 'A')
    expect(short(reply.answers)).toEqual([
      'alias.example.test CNAME second.example.test',
      'second.example.test CNAME mail.example.test',
      'mail.example.test A 192.0.2.2',
    ])
    expect(reply.aa).toBe(true)
  })

  it('aliases are followed to the apex, with correct pointers', async () => {
    const reply = await query('apex.example.test', 'MX')
    expect(short(reply.answers)[1]).toBe('example.test MX 10 mail.example.test')
    expect(reply.additional).toHaveLength(3)
  })

  it('aliases are followed into other zones of the same holder', async () => {
    expect(short((await query('abroad.example.test', 'A')).answers)).toEqual([
      'abroad.example.test CNAME www.other.test',
      'www.other.test A 192.0.2.100',
    ])
    const none = await query('abroad.example.test', 'TXT')
    expect(none).toMatchObject({ rcode: 'NOERROR', authority: [soa('other.test', 9)] })
  })

  it('aliases are not followed into zones that are not served here', async () => {
    const reply = await query('away.example.test', 'A')
    expect(short(reply.answers)).toEqual(['away.example.test CNAME www.unknown.test'])
    expect(reply).toMatchObject({ rcode: 'NOERROR', authority: [] })
  })

  it('an alias to a nonexistent name: NXDOMAIN, which is about the last name (RFC 6604)', async () => {
    const reply = await query('nowhere.example.test', 'A')
    expect(reply).toMatchObject({ rcode: 'NXDOMAIN', aa: true, authority: [soa('example.test', 7)] })
    expect(short(reply.answers)).toEqual(['nowhere.example.test CNAME missing.example.test'])
  })

  it('an alias to a name without the type: NOERROR and the SOA', async () => {
    const reply = await query('nodata.example.test', 'TXT')
    expect(reply).toMatchObject({ rcode: 'NOERROR', authority: [soa('example.test', 7)] })
    expect(reply.answers).toHaveLength(1)
  })

  it('aliases are not followed for a CNAME query', async () => {
    expect((await query('alias.example.test', 'CNAME')).answers).toHaveLength(1)
  })

  it('aliases in a loop: the answer has each alias once', async () => {
    expect(short((await query('loop1.example.test', 'A')).answers)).toEqual([
      'loop1.example.test CNAME loop2.example.test',
      'loop2.example.test CNAME loop1.example.test',
    ])
    expect((await query('self.example.test', 'A')).answers).toHaveLength(1)
    expect((await query('b.round.example.test', 'A')).answers).toHaveLength(2)
  })

  it('an alias into a delegation ends in a referral, and the answer stays authoritative', async () => {
    const reply = await query('into.example.test', 'A')
    expect(short(reply.answers)).toEqual(['into.example.test CNAME www.sub.example.test'])
    expect(short(reply.authority)[0]).toBe('sub.example.test NS ns.sub.example.test')
    expect(reply.aa).toBe(true)
  })
})

describe('wildcards (RFC 4592)', () => {
  it.each(['x.wild.example.test', 'x.y.wild.example.test', '*.wild.example.test', 'x.there2.wild.example.test'])(
    'wildcards answer for %s',
    async (name) => {
      expect(short((await query(name, 'A')).answers)).toEqual([`${name} A 192.0.2.4`])
    },
  )

  it('wildcards do not answer for an existing name, or below it', async () => {
    expect(await query('there.wild.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(await query('x.there.wild.example.test', 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
  })

  it('wildcards do not answer for an empty non-terminal, or below it', async () => {
    expect(await query('ent.wild.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(await query('x.ent.wild.example.test', 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
  })

  it('wildcards do not answer for their parent', async () => {
    expect(await query('wild.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
  })

  it('wildcards answer NOERROR without data for a missing type', async () => {
    expect(await query('x.wild.example.test', 'TXT')).toMatchObject({
      rcode: 'NOERROR',
      authority: [soa('example.test', 7)],
    })
  })

  it('wildcards add additional data', async () => {
    expect((await query('x.wild.example.test', 'MX')).additional).toHaveLength(2)
  })

  it('wildcards can be aliases', async () => {
    expect(short((await query('x.chain.example.test', 'A')).answers)).toEqual([
      'x.chain.example.test CNAME mail.example.test',
      'mail.example.test A 192.0.2.2',
    ])
  })
})

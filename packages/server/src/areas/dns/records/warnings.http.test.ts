import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type Answer, type TestApp } from '../../../../test/app.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'

/** Records that are allowed, but do not work with others of the zone. */

describe.each(databaseKinds)('warnings about records on %s', (kind) => {
  let app: TestApp
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    app = await startApp(kind)
    owner = await ownerOn(app)
    zone = await owner.claim()
    await zone.add({ type: 'CNAME', host: 'alias', value: 'host.example.net' })
    await zone.add({ type: 'A', host: 'mail', value: '192.0.2.1' })
    await zone.add({ type: 'MX', host: '@', value: `mx.${zone.zone}`, priority: 10 })
    await zone.add({ type: 'SRV', host: '_sip._tcp', value: `0 5060 sip.${zone.zone}`, priority: 10 })
  })
  afterAll(() => app.stop())

  const warningsOf = ({ status, body, text }: Answer) => {
    expect(status, text).toBe(200)
    return body['data'].warnings as { code: string; message: string; field: string }[]
  }

  it('warns about a second SPF record at a name', async () => {
    expect(warningsOf(await zone.create({ type: 'TXT', host: 'spf', value: 'v=spf1 -all' }))).toEqual([])
    expect(warningsOf(await zone.create({ type: 'TXT', host: 'spf', value: 'v=spf10 is another text' }))).toEqual([])
    const second = await zone.create({ type: 'TXT', host: 'spf', value: 'V=SPF1 include:example.net ~all' })
    expect(warningsOf(second)).toEqual([
      {
        code: 'several_spf',
        field: 'value',
        message: `spf.${zone.zone} has 2 SPF records. Receivers of mail then accept none of them: combine them into one.`,
      },
    ])
    const update = await zone.update(second.body['data'].id, { value: 'v=spf1 mx -all' })
    expect(warningsOf(update).map(({ code }) => code)).toEqual(['several_spf'])
    const put = await owner.call('PUT', `/v1/dns/zones/${zone.zone}/rrsets/spf/TXT`, { values: ['v=spf1 mx -all'] })
    expect(warningsOf(put)).toEqual([])
    const both = { values: ['v=spf1 mx -all', 'v=spf1 a -all'] }
    const several = await owner.call('PUT', `/v1/dns/zones/${zone.zone}/rrsets/spf/TXT`, both)
    expect(warningsOf(several)).toMatchObject([{ code: 'several_spf', field: 'values' }])
  })

  it.each([
    ['MX', { priority: 10 }, ''],
    ['NS', {}, ''],
    ['SRV', { priority: 10 }, '0 443 '],
  ])('warns about an %s record whose target is an alias in the zone', async (type, fields, before) => {
    const add = (name: string) => zone.create({ type, host: `to-${type}`, value: `${before}${name}`, ...fields })
    expect(warningsOf(await add(`alias.${zone.zone}`))).toEqual([
      {
        code: 'target_is_alias',
        field: 'value',
        message: expect.stringMatching(
          new RegExp(
            `^alias\\.\\S+ is an alias of host\\.example\\.net, and the target of an ${type} record must not be one`,
          ),
        ),
      },
    ])
    const others = await zone.create({ type, host: `other-${type}`, value: `${before}mail.${zone.zone}`, ...fields })
    expect(warningsOf(others)).toEqual([])
    const outside = await zone.create({ type, host: `outside-${type}`, value: `${before}alias.example.org`, ...fields })
    expect(warningsOf(outside)).toEqual([])
  })

  it.each([
    ['mx', 'MX'],
    ['sip', 'SRV'],
  ])('warns about a CNAME at %s, to which an %s record elsewhere points', async (host, type) => {
    const [warning, ...others] = warningsOf(await zone.create({ type: 'CNAME', host, value: 'host.example.net' }))
    expect(others).toEqual([])
    expect(warning).toMatchObject({ code: 'target_is_alias', field: 'host' })
    expect(warning?.message).toMatch(new RegExp(`^The ${type} record \\d+ at \\S+ points to ${host}\\.`))
    // The end of a longer target is not the name.
    expect(warningsOf(await zone.create({ type: 'CNAME', host: host.slice(1), value: 'host.example.net' }))).toEqual([])
  })

  it('says nothing about the records of another account', async () => {
    const other = await ownerOn(app)
    const theirs = await other.claim()
    await theirs.add({ type: 'MX', host: '@', value: `www.${zone.zone}`, priority: 10 })
    expect(warningsOf(await zone.create({ type: 'CNAME', host: 'www', value: 'host.example.net' }))).toEqual([])
  })
})

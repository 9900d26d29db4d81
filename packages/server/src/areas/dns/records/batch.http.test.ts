import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Answer, type Envelope, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn, zoneClient, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { readConfig } from '../../../config/config.js'

/** `POST /records/batch` applies several changes in one step, all or none. */

const recordsMax = 700
const settings = readConfig({ env: { SVC_DNS_PORT: '0', SVC_DNS_RECORDS_MAX: String(recordsMax) } }).dns

const a = (host: string, value = '192.0.2.1', ttl = 300) => ({ create: { type: 'A', host, value, ttl } })
const numbered = <R>(count: number, of: (i: number) => R) => Array.from({ length: count }, (_, i) => of(i))

describe.each(databaseKinds)('a batch on %s', (kind) => {
  let site: Site
  let other: TestApp
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    site = await startSite(kind, { dns: settings })
    other = await site.another()
    owner = await ownerOn(site)
    zone = await owner.claim()
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  const send = (changes: unknown, more: object = {}, of = zone): Promise<Answer> => of.batch(changes, more)
  async function apply(changes: unknown, of = zone): Promise<Envelope> {
    const answer = await send(changes, {}, of)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data']
  }
  const listed = async (of = zone): Promise<Envelope[]> => (await of.list()).body['data'].records
  const linesOf = (records: Envelope[]) => records.map(({ value, ttl }) => `${value} ${ttl}`)
  const idsOf = (records: Envelope[]) => records.map(({ id }) => id)

  it('applies every kind of change with one step of the serial, and DNS answers the result', async () => {
    const alias = await zone.add({ type: 'CNAME', host: 'www', value: 'old.example.net', ttl: 300 })
    const moved = await zone.add({ type: 'A', host: 'api', value: '192.0.2.1', ttl: 300 })
    const text = await zone.add({ type: 'TXT', host: '@', value: 'old', ttl: 300 })
    const serial = await zone.serial()
    const data = await apply([
      { delete: { id: alias['id'] } },
      a('www', '192.0.2.7'),
      { update: { id: moved['id'], host: 'Web', ttl: 60 } },
      { replace: { host: '@', type: 'TXT', values: ['old', 'new'], ttl: 300 } },
    ])
    expect(data).toEqual({
      zone: zone.zone,
      dry_run: false,
      removed: [alias, moved],
      added: [
        { ...moved, host: 'web', name: `web.${zone.zone}`, ttl: 60, updated_at: expect.any(String) },
        expect.objectContaining({ id: 4, type: 'A', host: 'www', name: `www.${zone.zone}`, value: '192.0.2.7' }),
        expect.objectContaining({ id: 5, type: 'TXT', host: '@', value: 'new', ttl: 300 }),
      ],
      warnings: [],
    })
    expect(await zone.serial()).toBe(serial + 1)
    expect(await listed()).toEqual([data['added'][0], text, ...data['added'].slice(1)])
    expect(await zone.served('www', 'CNAME')).toEqual([])
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.7'])
    expect(await zone.served('api', 'A')).toEqual([])
    expect(await zone.served('web', 'A')).toEqual(['60 192.0.2.1'])
    expect(await zone.served('@', 'TXT')).toEqual(['300 new', '300 old'])
  })

  it('a dry run answers the same and changes nothing', async () => {
    const mine = await owner.claim()
    const { id } = await mine.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    const before = [await listed(mine), await mine.serial()]
    const changes = [{ update: { id, value: '192.0.2.2' } }, a('b')]
    const dry = await send(changes, { dry_run: true }, mine)
    expect(dry.body['data']).toMatchObject({ dry_run: true, removed: [{ id }], added: [{ id }, { id: 2, host: 'b' }] })
    expect([await listed(mine), await mine.serial()]).toEqual(before)
    expect(await mine.served('www', 'A')).toEqual(['300 192.0.2.1'])
    const { added } = await apply(changes, mine)
    expect(idsOf(added)).toEqual(idsOf(dry.body['data'].added))
    const refused = await send([a('b'), { delete: { id: 99 } }], { dry_run: true }, mine)
    expectError(refused, 'not_found')
  })

  it('changes without effect leave the serial and the list as they are', async () => {
    const mine = await owner.claim()
    const { id } = await mine.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    const before = [await listed(mine), await mine.serial()]
    const data = await apply([a('www'), { update: { id } }, a('b'), { delete: { id: 2 } }], mine)
    expect(data).toMatchObject({ removed: [], added: [] })
    expect([await listed(mine), await mine.serial()]).toEqual(before)
    expect(await mine.add({ type: 'A', host: 'c', value: '192.0.2.3' })).toMatchObject({ id: 2 })
  })

  it.each<[string, unknown, object, 'bad_request' | 'not_found', string]>([
    ['no change', [], {}, 'bad_request', 'changes must have at least 1 item'],
    ['501 changes', numbered(501, () => a('x')), {}, 'bad_request', 'changes must have at most 500 items, not 501'],
    [
      'two in one',
      [{ ...a('x'), delete: { id: 1 } }],
      {},
      'bad_request',
      'changes[0] must have exactly one of create, update, delete, replace, not create, delete.',
    ],
    [
      'an empty one',
      [a('x'), {}],
      {},
      'bad_request',
      'changes[1] must have exactly one of create, update, delete, replace, not none.',
    ],
    ['an unknown one', [{ move: {} }], {}, 'bad_request', 'changes[0].move is not known in this body'],
    ['a missing value', [{ create: { type: 'A' } }], {}, 'bad_request', 'changes[0].create.value is required'],
    ['an unknown field', [{ delete: { id: 1, host: 'x' } }], {}, 'bad_request', 'changes[0].delete.host is not known'],
    ['an id of text', [{ delete: { id: '1' } }], {}, 'bad_request', 'changes[0].delete.id must be an integer'],
    ['no host', [{ replace: { type: 'A', values: ['192.0.2.1'] } }], {}, 'bad_request', 'changes[0].replace.host is'],
    ['a short ttl', [a('x'), a('y', '192.0.2.1', 5)], {}, 'bad_request', 'changes[1].create.ttl must be at least 60'],
    ['an invalid value', [a('x'), a('y', 'x')], {}, 'bad_request', 'changes[1].create.value must be an IPv4 address'],
    [
      'a conflict',
      [a('x'), { create: { type: 'CNAME', host: 'x', value: 'a.example' } }],
      {},
      'bad_request',
      'changes[1]',
    ],
    ['an unknown id', [a('x'), { delete: { id: 999 } }], {}, 'not_found', 'changes[1].delete.id: There is no such'],
    ['an unknown option', [a('x')], { dryrun: true }, 'bad_request', 'dryrun is not known'],
  ])('is refused for %s, and nothing changes', async (_, changes, more, code, message) => {
    const before = [await listed(), await zone.serial()]
    const answer = await send(changes, more)
    expectError(answer, code)
    expect(answer.body['message']).toContain(message)
    expect([await listed(), await zone.serial()]).toEqual(before)
    expect(await zone.served('x', 'A')).toEqual([])
  })

  it('500 changes with six fields each are accepted, and so are 1,000 values of RRsets', async () => {
    const mine = await owner.claim()
    const mails = numbered(500, (i) => ({
      create: { type: 'MX', host: `h${i}`, value: `mail${i}.example.net`, ttl: 300, priority: i },
    }))
    expect((await apply(mails, mine))['added']).toHaveLength(500)
    expect(await mine.served('h499', 'MX')).toEqual(['300 499 mail499.example.net'])
    const updates = numbered(500, (i) => ({ update: { id: i + 1, host: `m${i}`, priority: 0 } }))
    const { removed, added } = await apply(updates, mine)
    expect([removed.length, added.length]).toEqual([500, 500])
    expect([await mine.served('h0', 'MX'), await mine.served('m0', 'MX')]).toEqual([[], ['300 0 mail0.example.net']])
    await apply(
      numbered(500, (i) => ({ delete: { id: i + 1 } })),
      mine,
    )
    expect(await listed(mine)).toEqual([])
    const values = numbered(300, (i) => `10.0.${i >> 8}.${i & 255}`)
    const replaced = numbered(4, (i) => ({ replace: { host: `set${i % 2}`, type: 'A', values } }))
    expect((await apply(replaced, mine))['added']).toHaveLength(600)
    const retimed = await apply([a('set0', '10.0.0.0', 90), a('set1', '10.0.0.0', 90)], mine)
    expect(linesOf(retimed['removed'])).toEqual(values.concat(values).map((value) => `${value} 3600`))
    expect(linesOf(retimed['added'])).toEqual(values.concat(values).map((value) => `${value} 90`))
    const body = `{"changes":[{"delete":{"id":1}}${',{}'.repeat(5_100)}]}`
    const response = await fetch(`${site.url}${mine.path}/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body,
    })
    expect([response.status, ((await response.json()) as Envelope)['message']]).toEqual([
      400,
      'The body has more than 5100 values.',
    ])
  })

  it('the limit of records counts for each change in its turn', async () => {
    const mine = await owner.claim()
    const first = numbered(500, (i) => a(`a${i}`))
    const second = numbered(recordsMax - 500, (i) => a(`b${i}`))
    await apply(first, mine)
    await apply(second, mine)
    const full = await send([a('c'), { delete: { id: 1 } }], {}, mine)
    expect(full.body['message']).toBe(
      `changes[0].create: The zone has ${recordsMax} records, the maximum: delete some first.`,
    )
    await apply([{ delete: { id: 1 } }, a('c')], mine)
    expect(await listed(mine)).toHaveLength(recordsMax)
  })

  it('403 for a zone of another account, also for invalid changes and a dry run', async () => {
    const { zone: foreign } = await (await ownerOn(site)).claim()
    const theirs = zoneClient(site, owner.call, foreign)
    for (const changes of [[a('x')], [a('x', 'x')], [{ delete: { id: 1 } }]])
      for (const more of [{}, { dry_run: true }]) expectError(await send(changes, more, theirs), 'forbidden_zone')
    expectError(await send([a('x')], {}, zoneClient(site, owner.call, 'nobody.example')), 'forbidden_zone')
  })

  it('batches beside single changes: each is applied whole, and the nameserver agrees with the database', async () => {
    const mine = await owner.claim()
    const serial = await mine.serial()
    const values = numbered(10, (i) => `192.0.2.${i}`)
    const sets = numbered(8, (n) => values.map((value) => value.replace('192.0.2', `10.0.${n}`)))
    const batches = sets.map((set, n) =>
      send([{ replace: { host: 'set', type: 'A', values: set, ttl: 60 } }, a(`done${n}`)], {}, mine),
    )
    const singles = numbered(20, (i) => mine.add({ type: 'A', host: `s${i}`, value: '192.0.2.1', ttl: 300 }))
    for (const { status } of await Promise.all(batches)) expect(status).toBe(200)
    await Promise.all(singles)
    const records = await listed(mine)
    expect(new Set(idsOf(records)).size).toBe(38)
    const stored = records.filter(({ host }) => host === 'set').map(({ value }) => value as string)
    expect(sets).toContainEqual(stored)
    expect(await mine.served('set', 'A')).toEqual(stored.map((value) => `60 ${value}`))
    expect(await mine.serial()).toBe(serial + 28)
  })

  it('of batches that claim the same host, one succeeds, and the others leave no trace', async () => {
    const mine = await owner.claim()
    const answers = await Promise.all(
      numbered(10, (i) =>
        send([a(`trace${i}`), { create: { type: 'CNAME', host: 'one', value: `t${i}.example.net` } }], {}, mine),
      ),
    )
    const won = answers.findIndex(({ status }) => status === 200)
    for (const [i, answer] of answers.entries()) if (i !== won) expectError(answer, 'bad_request')
    expect((await listed(mine)).map(({ host }) => host)).toEqual([`trace${won}`, 'one'])
  })

  it('another server on the database serves the whole batch, and accepts the next one', async () => {
    const mine = await owner.claim()
    const there = zoneClient(other, owner.call, mine.zone)
    await apply([a('x'), a('y')], mine)
    const soon = { timeout: 5_000, interval: 20 }
    await vi.waitFor(async () => expect(await there.served('y', 'A')).toEqual(['300 192.0.2.1']), soon)
    expect(await there.served('x', 'A')).toEqual(['300 192.0.2.1'])
    const body = { changes: [{ delete: { id: 1 } }, { update: { id: 2, value: '192.0.2.2' } }] }
    const answer = await other.call('POST', `${mine.path}/batch`, { token: owner.token, body })
    expect(answer.status, answer.text).toBe(200)
    expect([await there.served('x', 'A'), await there.served('y', 'A')]).toEqual([[], ['300 192.0.2.2']])
    await vi.waitFor(async () => expect(await mine.served('y', 'A')).toEqual(['300 192.0.2.2']), soon)
    expect(await mine.served('x', 'A')).toEqual([])
  })

  it('the console has the same operation', async () => {
    const browser = await site.browser(owner.account.email)
    const path = `/dns/zones/${zone.zone}/records/batch`
    const { status, body } = await browser.call('POST', path, { body: { changes: [a('x')], dry_run: true } })
    expect([status, body['data'].added.length]).toEqual([200, 1])
  })
})

describe.each(databaseKinds)('warnings about a batch on %s', (kind) => {
  let site: Site
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    site = await startSite(kind)
    owner = await ownerOn(site)
    zone = await owner.claim()
    await zone.add({ type: 'CNAME', host: 'alias', value: 'host.example.net' })
    await zone.add({ type: 'SRV', host: '_sip._tcp', value: `0 5060 sip.${zone.zone}`, priority: 10 })
  })
  afterAll(() => site.stop())

  it.each([true, false])('names the change that each is about, if dry_run is %s', async (dry_run) => {
    const mx = (host: string, target: string) => ({ create: { type: 'MX', host, value: target, priority: 10 } })
    const { body } = await zone.batch(
      [
        a('plain'),
        { replace: { host: '@', type: 'TXT', values: ['v=spf1 -all', 'v=spf1 mx -all'] } },
        mx('to-old', `alias.${zone.zone}`),
        mx('to-new', `fresh.${zone.zone}`),
        { create: { type: 'CNAME', host: 'fresh', value: 'host.example.net' } },
        { create: { type: 'CNAME', host: 'sip', value: 'host.example.net' } },
        { create: { type: 'CNAME', host: 'harmless', value: 'host.example.net' } },
        mx('outside', 'mail.example.net'),
      ],
      { dry_run },
    )
    const warnings = body['data'].warnings as { code: string; field: string; message: string }[]
    expect(warnings.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'several_spf changes[1].replace.values',
      'target_is_alias changes[2].create.value',
      'target_is_alias changes[3].create.value',
      'target_is_alias changes[4].create.host',
      'target_is_alias changes[5].create.host',
    ])
    expect(warnings[1]?.message).toContain(`alias.${zone.zone} is an alias of host.example.net`)
    expect(warnings[4]?.message).toContain('The SRV record 2 at _sip._tcp points to sip.')
  })

  it('says nothing about a target that stops being an alias', async () => {
    const mine = await owner.claim()
    const { id } = await mine.add({ type: 'CNAME', host: 'mail', value: 'host.example.net' })
    const { body } = await mine.batch(
      [{ delete: { id } }, a('mail'), { create: { type: 'MX', host: '@', value: `mail.${mine.zone}`, priority: 10 } }],
      { dry_run: true },
    )
    expect(body['data'].warnings).toEqual([])
  })
})

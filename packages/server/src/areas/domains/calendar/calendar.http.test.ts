import ICAL from 'ical.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from '../../../../test/app.js'
import { dataOf, problemOf, startPortfolio, type Owner, type PortfolioSite } from '../../../../test/portfolio-site.js'

const day = 24 * 60 * 60_000
/** A date in UTC, as a calendar shows it. */
const dateIn = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)

describe.each(databaseKinds)('the calendar of expiry dates on %s', (kind) => {
  let portfolio: PortfolioSite
  beforeAll(async () => {
    portfolio = await startPortfolio(kind)
  })
  afterAll(() => portfolio.stop())
  beforeEach(async () => {
    await portfolio.site.sql('delete from domain')
  })

  const post = async (owner: Owner, name: string) =>
    dataOf(await portfolio.browsers[owner].call('POST', `/domains/calendar/${name}`))
  const madeAt = async (owner: Owner) =>
    dataOf(await portfolio.browsers[owner].call('GET', '/domains/calendar'))['created_at'] as unknown
  const pathOf = async (owner: Owner) => new URL((await post(owner, 'create'))['url'] as string).pathname
  const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    portfolio.site.call(method, path, { headers })
  /** Adds a domain whose expiry is known. */
  const addExpiring = async (owner: Owner, name: string, days: number, registrar = 'Example, Inc.') => {
    const { id } = dataOf(await portfolio.add(owner, name))['domains'][0]
    const at = String(Date.now() + days * day)
    await portfolio.site.sql(
      `update domain set expires_at = ${at}, registrar = '${registrar}', revision = revision + 1 where id = ${String(id)}`,
    )
    return id as number
  }
  const eventsOf = ({ status, text }: Answer) => {
    expect(status, text).toBe(200)
    const events = new ICAL.Component(ICAL.parse(text) as unknown[]).getAllSubcomponents('vevent')
    return events.map((event) => new ICAL.Event(event))
  }

  it('has an all-day event with alarms for each domain whose expiry is known', async () => {
    const id = await addExpiring('ada', 'soon.com', 40)
    dataOf(await portfolio.annotate('ada', id, 'pay; by card, "now" \\ 🦓'))
    await addExpiring('ada', 'past.com', -29)
    await addExpiring('ada', 'long-gone.com', -31)
    dataOf(await portfolio.add('ada', 'unknown.com'))
    await addExpiring('bob', 'of-bob.com', 5)
    const answer = await read(await pathOf('ada'))
    const events = eventsOf(answer)
    expect(events.map(({ summary, startDate }) => [summary, startDate.isDate, startDate.toString()])).toEqual([
      ['past.com expires', true, dateIn(-29)],
      ['soon.com expires', true, dateIn(40)],
    ])
    expect(events.map(({ description }) => description)).toEqual([
      'Registrar: Example, Inc.',
      'Registrar: Example, Inc.\nNote: pay; by card, "now" \\ 🦓',
    ])
    const alarms = events[1]!.component.getAllSubcomponents('valarm')
    expect(alarms.map((alarm) => String(alarm.getFirstPropertyValue('trigger')))).toEqual(['-P30D', '-P7D', '-P1D'])
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(answer.headers.get('cache-control')).toMatch(/^private\b/)
    expect(answer.text).not.toContain('of-bob')
  })

  it('names its program and how often to ask again, and ends each line with CRLF within 75 bytes', async () => {
    await addExpiring('ada', `${'x'.repeat(60)}.com`, 40, 'ü'.repeat(200))
    const { text } = await read(await pathOf('ada'))
    const lines = text.split('\r\n')
    for (const line of ['PRODID:-//svc//domains//EN', 'REFRESH-INTERVAL;VALUE=DURATION:PT12H', 'X-PUBLISHED-TTL:PT12H'])
      expect(lines).toContain(line)
    expect(lines.slice(-2)).toEqual(['END:VCALENDAR', ''])
    // Programs may refuse empty lines.
    expect(lines.slice(0, -1)).not.toContain('')
    expect(lines.filter((line) => Buffer.byteLength(line) > 75 || line.includes('\n'))).toEqual([])
    expect(eventsOf(await read(await pathOf('ada')))[0]?.description).toBe(`Registrar: ${'ü'.repeat(200)}`)
  })

  it('an account without domains has an empty calendar', async () => {
    expect(eventsOf(await read(await pathOf('bob')))).toEqual([])
  })

  it('304 until something changes, also after it is read by HEAD', async () => {
    const id = await addExpiring('ada', 'soon.com', 40)
    const path = await pathOf('ada')
    const etagOf = async () => String((await read(path)).headers.get('etag'))
    const first = await read(path)
    const etag = String(first.headers.get('etag'))
    const known = await read(path, { 'if-none-match': etag })
    expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag])
    const head = await read(path, {}, 'HEAD')
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      ...[200, '', String(Buffer.byteLength(first.text))],
    ])
    dataOf(await portfolio.annotate('ada', id, 'changed'))
    const noted = await etagOf()
    dataOf(await portfolio.remove('ada', id))
    const removed = await etagOf()
    expect(new Set([etag, noted, removed]).size).toBe(3)
    await addExpiring('ada', 'soon.com', 40)
    expect((await read(path, { 'if-none-match': removed })).status).toBe(200)
  })

  it('has no Last-Modified: a second change within a second answers 200', async () => {
    const id = await addExpiring('ada', 'soon.com', 40)
    const path = await pathOf('ada')
    const first = await read(path)
    expect(first.headers.get('last-modified')).toBe(null)
    dataOf(await portfolio.annotate('ada', id, 'changed'))
    const nextSecond = new Date(Date.now() + 1_000).toUTCString()
    expect((await read(path, { 'if-modified-since': nextSecond })).status).toBe(200)
  })

  it('the sequence of an event grows with a change, and does not restart when its domain is added again', async () => {
    const sequenceOf = async () => eventsOf(await read(await pathOf('ada')))[0]!.sequence
    const id = await addExpiring('ada', 'same.com', 40)
    await portfolio.site.sql('update domain set changed_at = changed_at - 2000')
    const first = await sequenceOf()
    dataOf(await portfolio.annotate('ada', id, 'changed'))
    const second = await sequenceOf()
    dataOf(await portfolio.remove('ada', id))
    await addExpiring('ada', 'same.com', 40)
    expect(second).toBeGreaterThan(first)
    expect(await sequenceOf()).toBeGreaterThanOrEqual(second)
  })

  it('the id of an event stays when its domain is added again, and differs between accounts', async () => {
    const uidOf = async (owner: Owner) => eventsOf(await read(await pathOf(owner)))[0]?.uid
    const id = await addExpiring('ada', 'same.com', 40)
    const first = await uidOf('ada')
    dataOf(await portfolio.remove('ada', id))
    await addExpiring('ada', 'same.com', 41)
    await addExpiring('bob', 'same.com', 41)
    expect([await uidOf('ada'), await uidOf('bob')]).toEqual([first, expect.not.stringMatching(first!)])
  })

  it('a new address replaces the earlier one at once, and a removed one answers 404', async () => {
    const [old, path] = [await pathOf('ada'), await pathOf('ada')]
    const gone = [404, 'not_found', 'There is no calendar at this address.']
    expect([problemOf(await read(old)), (await read(path)).status]).toEqual([gone, 200])
    expect(await madeAt('ada')).toMatch(/^\d{4}-.*Z$/)
    expect([await post('ada', 'delete'), await post('ada', 'delete')]).toEqual([{ deleted: true }, { deleted: false }])
    expect([problemOf(await read(path)), await madeAt('ada')]).toEqual([gone, null])
  })

  it.each(['', 'x', '0'.repeat(32), 'a.b', '%00', 'x'.repeat(40)])(
    '404 at the address /calendar/%s.ics',
    async (key) => {
      expect(problemOf(await read(`/calendar/${key}.ics`)).slice(0, 2)).toEqual([404, 'not_found'])
    },
  )

  it('keeps the key out of the database and the log', async () => {
    const path = await pathOf('ada')
    const key = /^\/calendar\/([0-9a-f]{32})\.ics$/.exec(path)?.[1]
    expect(key).toBeDefined()
    await read(path)
    await read(`${path}x`)
    await read(path, {}, 'DELETE')
    expect(await portfolio.site.everythingKept()).not.toContain(key)
    expect(portfolio.site.log.join()).not.toContain(key)
  })
})

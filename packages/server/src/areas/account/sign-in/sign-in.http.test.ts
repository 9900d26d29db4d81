import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, passwordOf, type Answer } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { expectError } from '../../../../test/raw-http.js'
import { hashPassword } from '../accounts/passwords.js'

/** Protection against password guessing: one answer for all failures, and growing waits. */

const hourMs = 3_600_000
const wrongPassword = 'not the password'

describe.each(databaseKinds)('failed sign-ins on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind, { trustProxy: ['loopback'] })
    for (let i = 1; i < 31; i++) await site.account(guessed(i))
  })
  afterAll(() => site.stop())

  /** Each test uses another account. */
  let email: string
  let count = 0
  beforeEach(async () => {
    email = `owner${String(++count)}@example.com`
    await site.account(email)
    await site.sql('delete from sign_in_failure')
  })

  const tryFrom = (ip: string, password = wrongPassword, as = email) =>
    site.signIn(as, { password, headers: { 'x-forwarded-for': ip } })
  const failFrom = async (ip: string, times: number) => {
    for (let i = 0; i < times; i++) expect(wasChecked(await tryFrom(ip))).toBe(true)
  }
  const passTime = (ms: number) =>
    site.sql(
      `update sign_in_failure set blocked_until = blocked_until - ${String(ms)}, forgiven_until = forgiven_until - ${String(ms)}`,
    )
  /** Adds an hour to the latest wait, so that it does not end before the test on a slow machine. */
  const lengthenWait = () =>
    site.sql(
      `update sign_in_failure set blocked_until = blocked_until + ${String(hourMs)}
        where blocked_until = (select max(blocked_until) from sign_in_failure)`,
    )
  const latestWaitEnd = async () =>
    Number((await site.sql('select max(blocked_until) as latest from sign_in_failure'))[0]?.['latest'])

  it('gives the same answer to an unknown email and to a wrong password', async () => {
    const answers = [await tryFrom('192.0.2.1'), await tryFrom('192.0.2.1', wrongPassword, 'nobody@example.com')]
    for (const answer of answers) {
      expectError(answer, 'unauthorized')
      expect(answer.headers.get('retry-after')).toBeNull()
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    const [wrong, unknown] = answers.map(({ body, headers }) => ({
      body: { ...body, request_id: '' },
      headers: [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date'),
    }))
    expect(unknown).toEqual(wrong)
  })

  it('answers in about the same time for an unknown email and for a wrong password', async () => {
    const owner = `real-hash-${email}`
    await site.account(owner, hashPassword)
    const times: Record<'wrong' | 'unknown', number[]> = { wrong: [], unknown: [] }
    for (let i = 0; i < 9; i++)
      for (const [which, as] of [
        ['wrong', owner],
        ['unknown', `nobody${String(i)}@example.com`],
      ] as const) {
        // CPU time: other work on the machine does not count.
        const before = process.cpuUsage()
        await tryFrom(`198.51.100.${String(i)}`, wrongPassword, as)
        const { user, system } = process.cpuUsage(before)
        times[which].push(user + system)
      }
    const [wrong, unknown] = [median(times.wrong), median(times.unknown)]
    expect(unknown / wrong).toBeGreaterThan(0.5)
    expect(unknown / wrong).toBeLessThan(2)
  })

  it('has the same wait after failures for an unknown email and for a wrong password', async () => {
    for (const as of [email, 'nobody@example.com']) {
      for (let i = 0; i < 4; i++) expect(wasChecked(await tryFrom('192.0.2.2', wrongPassword, as))).toBe(true)
      await lengthenWait()
      expect(retryAfter(await tryFrom('192.0.2.2', wrongPassword, as))).toBeGreaterThan(3590)
      await passTime(hourMs)
    }
  })

  it('three failures are free, then the wait doubles with each, to 15 minutes', async () => {
    await failFrom('192.0.2.3', 3)
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      // Only the counter of network and email causes these waits: the counters of the email and of the network allow more failures.
      const before = Date.now()
      await failFrom('192.0.2.3', 1)
      const ends = await latestWaitEnd()
      expect(ends).toBeGreaterThanOrEqual(before + seconds * 1000)
      expect(ends).toBeLessThanOrEqual(Date.now() + seconds * 1000)
      await passTime(seconds * 1000)
    }
  })

  it('an attempt during the wait is refused with the right password too, and is not counted', async () => {
    await failFrom('192.0.2.4', 4)
    await lengthenWait()
    const ends = await latestWaitEnd()
    for (const password of [wrongPassword, passwordOf(email), wrongPassword]) {
      const answer = await tryFrom('192.0.2.4', password)
      expectError(answer, 'unauthorized')
      const seconds = retryAfter(answer)
      expect(seconds).toBeGreaterThan(3590)
      expect(seconds).toBeLessThanOrEqual(3601)
      expect(answer.body['message']).toContain(`${String(seconds)} s`)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect(await latestWaitEnd()).toBe(ends)
    await passTime(hourMs + 1000)
    expect((await tryFrom('192.0.2.4', passwordOf(email))).status).toBe(200)
  })

  it('a success resets the failures of the email: three are free again', async () => {
    await failFrom('192.0.2.5', 3)
    expect((await tryFrom('192.0.2.5', passwordOf(email))).status).toBe(200)
    // Only the counter of the network remains.
    expect(await site.sql('select failures from sign_in_failure')).toEqual([{ failures: 3 }])
    await failFrom('192.0.2.5', 3)
    expect((await tryFrom('192.0.2.5', passwordOf(email))).status).toBe(200)
  })

  it('successful sign-ins never cause a wait', async () => {
    for (let i = 0; i < 6; i++) expect((await tryFrom('192.0.2.6', passwordOf(email))).status).toBe(200)
  })

  it('a day without a failure resets the counter', async () => {
    await failFrom('192.0.2.7', 4)
    await passTime(25 * hourMs)
    await failFrom('192.0.2.7', 3)
    expect((await tryFrom('192.0.2.7', passwordOf(email))).status).toBe(200)
  })

  it('many simultaneous attempts: only the free ones and the one that starts the wait are checked', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => tryFrom('192.0.2.8')))
    expect(answers.filter(wasChecked)).toHaveLength(4)
    for (const answer of answers) expectError(answer, 'unauthorized')
    // The wait ends a second after the attempt that starts it. For earlier attempts that is rounded up to two seconds.
    for (const answer of answers.filter((refused) => !wasChecked(refused))) expect([1, 2]).toContain(retryAfter(answer))
  })

  it('does not delay other networks, nor other accounts on the same network', async () => {
    const other = `other-${email}`
    await site.account(other)
    await failFrom('192.0.2.9', 4)
    await lengthenWait()
    expect((await tryFrom('192.0.2.10', passwordOf(email))).status).toBe(200)
    expect((await tryFrom('192.0.2.9', passwordOf(other), other)).status).toBe(200)
    expect(wasChecked(await tryFrom('192.0.2.9', passwordOf(email)))).toBe(false)
  })

  it('counts a /64 of IPv6 as one network', async () => {
    for (const host of [':1', ':2', ':abcd:1', 'ffff:ffff:ffff:ffff']) await failFrom(`2001:db8:0:1:${host}`, 1)
    await lengthenWait()
    expect(wasChecked(await tryFrom('2001:db8:0:1:9::9'))).toBe(false)
    expect(wasChecked(await tryFrom('2001:db8:0:2::1'))).toBe(true)
  })

  it('guesses from many networks at one email have to wait', async () => {
    for (let network = 1; network <= 7; network++) await failFrom(`203.0.${String(network)}.1`, 3)
    await lengthenWait()
    // The owner has to wait too, but their attempts during the wait do not extend it.
    for (let i = 0; i < 6; i++)
      expect(retryAfter(await tryFrom('198.51.100.9', passwordOf(email)))).toBeGreaterThan(3590)
    await passTime(hourMs + 1000)
    // Six have been forgiven in the hour, so six more are free.
    for (let network = 1; network <= 2; network++) await failFrom(`198.51.${String(network)}.1`, 2)
    expect((await tryFrom('198.51.100.9', passwordOf(email))).status).toBe(200)
  })

  it('twenty failures from many networks do not delay another network', async () => {
    for (let network = 1; network <= 6; network++) await failFrom(`203.0.${String(network)}.1`, 3)
    await failFrom('203.0.7.1', 2)
    expect((await tryFrom('198.51.100.10', passwordOf(email))).status).toBe(200)
  })

  /** Failures with a different email each, so that only the counter of the network counts all of them. The first is unknown. */
  const failEverywhere = async (ip: string, times: number) => {
    for (let i = 0; i < times; i++) expect(wasChecked(await tryFrom(ip, wrongPassword, guessed(i)))).toBe(true)
  }

  it('guesses from one network at many emails have to wait after thirty', async () => {
    await failEverywhere('192.0.2.20', 31)
    await lengthenWait()
    for (const as of ['nobody99@example.com', email])
      expect(retryAfter(await tryFrom('192.0.2.20', passwordOf(as), as))).toBeGreaterThan(3590)
    expect((await tryFrom('192.0.2.21', passwordOf(email))).status).toBe(200)
    await passTime(hourMs + 1000)
    // After the wait the owner can sign in. These attempts do not count as failures.
    expect((await tryFrom('192.0.2.20', passwordOf(email))).status).toBe(200)
    expect((await tryFrom('192.0.2.20', passwordOf(email))).status).toBe(200)
  })

  it("an attacker's own successful sign-in does not reset the counter of the network", async () => {
    for (let round = 0; round < 3; round++) {
      await failEverywhere('192.0.2.22', 10)
      expect((await tryFrom('192.0.2.22', passwordOf(email))).status).toBe(200)
    }
    await failEverywhere('192.0.2.22', 1)
    await lengthenWait()
    expect(wasChecked(await tryFrom('192.0.2.22', passwordOf(email)))).toBe(false)
  })

  it('a network is forgiven one failure every ten minutes', async () => {
    await failEverywhere('192.0.2.23', 31)
    await passTime(hourMs)
    // Six are forgiven in an hour. A success does not discard the time since the last one.
    await passTime(9 * 60_000)
    expect((await tryFrom('192.0.2.23', passwordOf(email))).status).toBe(200)
    await passTime(2 * 60_000)
    await failEverywhere('192.0.2.23', 6)
    expect(wasChecked(await tryFrom('192.0.2.23', wrongPassword, 'nobody98@example.com'))).toBe(true)
    await lengthenWait()
    expect(wasChecked(await tryFrom('192.0.2.23', wrongPassword, 'nobody97@example.com'))).toBe(false)
  })

  it('simultaneous sign-ins beyond the limit of a network are refused at once and not counted', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => tryFrom('192.0.2.24', wrongPassword, `nobody${String(i)}@example.com`)),
    )
    const refused = answers.filter((answer) => !wasChecked(answer))
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expectError(answer, 'unauthorized')
      expect(answer.body['message']).toBe('Too many sign-ins are in progress: try again in 1 s.')
      expect(retryAfter(answer)).toBe(1)
    }
    const [{ total }] = (await site.sql('select sum(failures) as total from sign_in_failure')) as [{ total: unknown }]
    // Each is counted four times: by email and network, twice, by email, by network.
    expect(Number(total)).toBe(4 * (answers.length - refused.length))
  })

  it('refused attempts with new emails leave no rows', async () => {
    await failEverywhere('192.0.2.25', 31)
    await lengthenWait()
    const rows = async () => Number((await site.sql('select count(*) as rows from sign_in_failure'))[0]?.['rows'])
    const before = await rows()
    for (let i = 0; i < 5; i++)
      expect(wasChecked(await tryFrom('192.0.2.25', wrongPassword, `new${String(i)}@example.com`))).toBe(false)
    expect(await rows()).toBe(before)
  })

  it('another spelling of the email gives no further attempts', async () => {
    for (const as of [email, email.toUpperCase(), ` ${email}`, `${email} `])
      expect(wasChecked(await tryFrom('192.0.2.11', wrongPassword, as))).toBe(true)
    await lengthenWait()
    expect(wasChecked(await tryFrom('192.0.2.11', wrongPassword, email.replace('o', 'O')))).toBe(false)
  })

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 127.0.0.1', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['<script>', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('behind a trusted proxy that sends %j, the session has the address %s', async (forwarded, ip) => {
    const browser = await site.browser(email, { headers: { 'x-forwarded-for': forwarded } })
    const { sessions } = (await browser.call('GET', '/account/sessions')).body['data']
    expect(sessions[0]).toMatchObject({ id: browser.sessionId, ip })
  })

  it('stores neither an address nor an email for the counters', async () => {
    await failFrom('192.0.2.99', 1)
    await tryFrom('192.0.2.99', wrongPassword, 'somebody.else@example.com')
    expect(await site.everythingKept()).not.toMatch(/192\.0\.2\.99|somebody\.else/)
  })
})

it("the address in a client's header is ignored if no proxy is trusted", async () => {
  const site = await startSite('sqlite')
  await site.account('ada@example.com')
  const tryAs = (ip: string, password?: string) =>
    site.signIn('ada@example.com', { ...(password && { password }), headers: { 'x-forwarded-for': ip } })
  await site.browser('ada@example.com', { headers: { 'x-forwarded-for': '203.0.113.7' } })
  expect(await site.sql('select ip from session')).toEqual([{ ip: '127.0.0.1' }])
  for (let i = 0; i < 4; i++) await tryAs(`203.0.113.${String(i)}`, wrongPassword)
  await site.sql(`update sign_in_failure set blocked_until = blocked_until + ${String(hourMs)}`)
  expect(wasChecked(await tryAs('203.0.113.77'))).toBe(false)
  await site.stop()
})

/** The emails of accounts from 1 to 30, whose passwords are checked faster than one of an unknown email. */
const guessed = (i: number) => `guessed${String(i)}@example.com`

const retryAfter = ({ headers }: Answer): number => Number(headers.get('retry-after') ?? NaN)

/** Whether the password was checked: otherwise the answer says how long to wait. */
const wasChecked = ({ headers }: Answer): boolean => !headers.has('retry-after')

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? NaN

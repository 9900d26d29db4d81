import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, passwordOf, type Answer } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { hashPassword } from '../accounts/passwords.js'
import { accountStore } from '../accounts/store.js'
import { signInStore } from './store.js'

/** One network does not lock an email for others, and no failures lock out a browser that has signed in before. */

const hourMs = 3_600_000
const wrongPassword = 'not the password'

describe.each(databaseKinds)('while others guess on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind, { trustProxy: ['loopback'] })
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

  const tryFrom = (ip: string, password = wrongPassword) =>
    site.signIn(email, { password, headers: { 'x-forwarded-for': ip } })
  const failFrom = async (ip: string, times: number) => {
    for (let i = 0; i < times; i++) expect(wasChecked(await tryFrom(ip))).toBe(true)
  }
  const passTime = (ms: number) =>
    site.sql(
      `update sign_in_failure set blocked_until = blocked_until - ${String(ms)}, forgiven_until = forgiven_until - ${String(ms)}`,
    )
  const lengthenWaits = () => site.sql(`update sign_in_failure set blocked_until = blocked_until + ${String(hourMs)}`)

  it('networks that add no more failures have to wait while many networks guess', async () => {
    for (let network = 1; network <= 7; network++) await failFrom(`203.0.${String(network)}.1`, 3)
    await passTime(2000)
    // Another address of the same network: its own failures would be free.
    expect(retryAfter(await tryFrom('203.0.1.2'))).toBeGreaterThan(590)
    await failFrom('198.51.100.12', 1)
  })

  it.each([
    ['address', () => '192.0.2.30'],
    ['/24', (i: number) => `203.0.113.${String(i + 1)}`],
    ['/48', (i: number) => `2001:db8:7:${String(i + 1)}::1`],
  ])('one %s that guesses for a day does not delay other networks', async (_, address) => {
    for (let i = 0; i < 40; i++) {
      await tryFrom(address(i))
      await passTime(15 * 60_000)
    }
    expect((await tryFrom('198.51.100.11', passwordOf(email))).status).toBe(200)
  })

  const deviceOf = (answer: Answer) => answer.headers.getSetCookie()[1]?.split(';', 1)[0] ?? ''
  const tryWith = (cookie: string, password = passwordOf(email), as = email) =>
    site.signIn(as, { password, headers: { cookie, 'x-forwarded-for': '192.0.2.40' } })
  /** Failures from everywhere, also from the network of the known browser. */
  const block = async () => {
    await failFrom('192.0.2.40', 1)
    for (let network = 1; network <= 6; network++) await failFrom(`203.0.${String(network)}.1`, 3)
    await failFrom('203.0.7.1', 2)
    await lengthenWaits()
  }

  it('is not delayed by the failures of others, and keeps its cookie', async () => {
    const device = deviceOf(await tryWith(''))
    await block()
    expect(wasChecked(await tryWith(''))).toBe(false)
    for (const forged of [device.slice(0, -5), `${device}.x`, device.replace('=', '=x'), 'svc_device=x', 'svc_device='])
      expect(wasChecked(await tryWith(forged)), forged).toBe(false)
    const answer = await tryWith(device)
    expect(answer.status).toBe(200)
    expect(deviceOf(answer)).toBe(device)
  })

  it('has ten failures, then waits that delay only itself', async () => {
    const [device, other] = [deviceOf(await tryWith('')), deviceOf(await tryWith(''))]
    for (let i = 0; i < 11; i++) expect(wasChecked(await tryWith(device, wrongPassword))).toBe(true)
    await lengthenWaits()
    expect(retryAfter(await tryWith(device))).toBeGreaterThan(3590)
    expect((await tryWith(other)).status).toBe(200)
    expect((await tryWith('')).status).toBe(200)
  })

  it('is unknown for another account, and after a new password, which ends all waits', async () => {
    const device = deviceOf(await tryWith(''))
    const another = `another-${email}`
    await site.account(another)
    await block()
    for (let i = 0; i < 4; i++) await tryWith(device, wrongPassword, another)
    expect(wasChecked(await tryWith(device, passwordOf(another), another))).toBe(false)
    const accounts = accountStore(site.app.database)
    await accounts.setPassword((await accounts.byEmail(email))!, await hashPassword('the new password'))
    for (let i = 0; i < 4; i++) expect(wasChecked(await tryWith(device, wrongPassword))).toBe(true)
    await lengthenWaits()
    expect(wasChecked(await tryWith(device, 'the new password'))).toBe(false)
    await signInStore(site.app.database).unlock(email)
    expect((await tryWith('', 'the new password')).status).toBe(200)
  })
})

const retryAfter = ({ headers }: Answer): number => Number(headers.get('retry-after') ?? NaN)

/** Whether the password was checked: otherwise the answer says how long to wait. */
const wasChecked = ({ headers }: Answer): boolean => !headers.has('retry-after')

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { openStream, type OpenStream } from '../../../test/event-stream.js'
import { startSite, type Site } from '../../../test/site.js'
import type { Account } from '../../shared/account.js'
import { unlimited } from '../account/tokens/limits.js'
import { tokenStore } from '../account/tokens/store.js'

/** Within this time, a stream must end whose caller is not valid any more. In seconds. */
const within = 15

describe.each(databaseKinds)('streams whose callers lose their right on %s', (kind) => {
  let site: Site
  let ada: Account
  let streams: OpenStream[] = []
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
  })
  // Only the checks of streams: everything else has real time.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    for (const stream of streams.splice(0)) stream.close()
    streams = []
  })
  afterAll(() => site.stop())

  async function listen(token: string): Promise<OpenStream> {
    const stream = await openStream(`${site.url}/v1/events`, { authorization: `Bearer ${token}` })
    streams.push(stream)
    return stream
  }

  /** Lets seconds pass one by one, with time for the database in each. */
  async function pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      vi.advanceTimersByTime(1_000)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const hasEnded = (stream: OpenStream) => stream.response.closed
  const create = (name: string) => tokenStore(site.app.database).create(ada, name, ['dns:write'], unlimited)

  it('stay open while the caller is valid, with a comment every 20 seconds', async () => {
    const stream = await listen(await site.token(ada, 'dns:read'))
    await pass(60)
    expect(hasEnded(stream)).toBe(false)
    expect(stream.text().match(/\n\n: keep-alive(?=\n\n)/g)).toHaveLength(3)
  })

  it('end when the token is revoked, paused, has expired, or loses the scopes', async () => {
    const changes = {
      revoked: 'delete from token',
      paused: 'update token set paused = 1',
      expired: 'update token set expires_at = 1',
      unscoped: `update token set scopes = '["whois:read"]'`,
    }
    const kept = await listen((await create('kept')).token)
    const ended: OpenStream[] = []
    for (const [name, change] of Object.entries(changes)) {
      const { id, token } = await create(name)
      ended.push(await listen(token))
      await site.sql(`${change} where id = ${String(id)}`)
    }
    await pass(within)
    expect(ended.map(hasEnded)).toEqual([true, true, true, true])
    expect(hasEnded(kept)).toBe(false)
  })

  it('end when the session ends, and when the account is suspended', async () => {
    const [carol, dan] = [await site.account('carol@example.com'), await site.account('dan@example.com')]
    const browser = await site.browser(carol.email)
    const ofSession = await openStream(`${site.url}/console/api/events`, { cookie: browser.cookie })
    const suspended = await listen(await site.token(dan, 'dns:read'))
    streams.push(ofSession)
    expect((await browser.call('POST', '/session/sign-out', { body: {} })).status).toBe(200)
    await site.sql(`update account set state = 'stopped' where id = ${String(dan.id)}`)
    await pass(within)
    expect([hasEnded(ofSession), hasEnded(suspended)]).toEqual([true, true])
  })

  it('get events by the rules that their token has now', async () => {
    const { id, token } = await create('narrowed')
    const stream = await listen(token)
    const rules = JSON.stringify([{ kind: 'zone', name: 'named.example', access: 'read' }])
    await site.sql(`update token set rules = '${rules}' where id = ${String(id)}`)
    await pass(within)
    const writer = await site.token(ada, 'dns:write')
    for (const zone of ['other.example', 'named.example'])
      await site.call('POST', '/v1/dns/zones', { token: writer, body: { zone } })
    await stream.until(1)
    expect(stream.events.map(({ data }) => data?.['object'] as string)).toEqual(['named.example'])
  })
})

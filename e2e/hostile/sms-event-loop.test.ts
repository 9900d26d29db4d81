import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { accountStore } from '../../packages/server/src/areas/account/accounts/store.js'
import { tokenStore } from '../../packages/server/src/areas/account/tokens/store.js'
import { withDatabase } from '../../packages/server/src/commands/with-database.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import { runSql } from '../../packages/server/test/site.js'
import { guardedServer } from './guarded-server.js'
import { rawRequest } from './raw-request.js'

/** No message of a device, and no list of messages, blocks the event loop. */

const { place, url, expectNoGap } = guardedServer('sqlite')
let key: string
let authorization: string

const json = 'application/json'
const urlencoded = 'application/x-www-form-urlencoded'

beforeAll(async () => {
  const { cwd, env } = place()
  const config = readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })
  const { owner, token } = await withDatabase(config, async (db) => {
    const owner = await accountStore(db).add({ email: 'bob@example.com', nickname: '', passwordHash: 'x', now: 1 })
    return { owner, token: (await tokenStore(db).create(owner, 'e2e', ['*'])).token }
  })
  authorization = `Bearer ${token}`
  const made = await rawRequest(url(), {
    method: 'POST',
    path: '/v1/sms/keys',
    headers: { authorization, 'content-type': json },
    body: '{"label":"Phone"}',
  })
  key = (JSON.parse(made?.text ?? '') as { data: { key: string } }).data.key
  await runSql(
    config,
    `insert into sms_message (account_id, id, key_id, stored_at, received_at, deduplication_key, size, sender, body)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
      select ${String(owner.id)}, n, 1, ${String(Date.now())}, 1768556698000, cast(n as blob), 172, '+15550100', '${'Your code '.repeat(16)}' from numbers`,
  )
  await runSql(config, 'update sms_inbox set last_id = 100000')
})

const size = 256 * 1024
const filled = (piece: string, start = '', end = '') =>
  start + piece.repeat(Math.floor((size - start.length - end.length) / piece.length)) + end

/** With the longest text that is accepted. */
const withText = (piece: string, start: string, end = '') => start + piece.repeat(40_000) + end

describe('messages', () => {
  it.each<[string, string, string, number]>([
    ['many pairs', urlencoded, filled('a&'), 400],
    ['percent signs', urlencoded, withText('%41', 'from=1&content='), 200],
    ['invalid percent signs', urlencoded, filled('%', 'from=1&to='), 400],
    ['a long sender', urlencoded, filled('%F0%9F%98%80', 'content=x&from='), 200],
    ['deep JSON', json, filled('[', '{"from":'), 400],
    ['many values', json, filled('1,', '{"from":[', '1]}'), 400],
    ['a long text', json, withText('\\u00e4', '{"from":"1","text":"', '"}'), 200],
    ['a text of NULs', json, withText('\\u0000', '{"from":"1","text":"', '"}'), 200],
    ['a text that is too long', json, filled('x', '{"from":"1","text":"', '"}'), 400],
    ['a long event', json, filled('s', '{"event":"sms:', '"}'), 400],
    ['a long time', json, filled('9', '{"from":"1","text":"x","timestamp":"', '"}'), 200],
  ])('100 bodies with %s do not block the event loop', async (_, type, body, status) => {
    const statuses = new Set<number | undefined>()
    const bytes = Buffer.from(body)
    await expectNoGap(() =>
      Promise.all(
        Array.from({ length: 100 }, async () => {
          const headers = { 'content-type': type }
          statuses.add((await rawRequest(url(), { method: 'POST', path: `/sms/${key}`, headers, body: bytes }))?.status)
        }),
      ),
    )
    expect([...statuses]).toEqual([status])
  })
})

it('20 lists of 1,000 of 100,000 messages do not block the event loop', async () => {
  const totals = new Set<number>()
  await expectNoGap(() =>
    Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const path = `/v1/sms/messages?before=${String(100_001 - i * 1000)}`
        const answer = await rawRequest(url(), { method: 'GET', path, headers: { authorization } })
        const { data } = JSON.parse(answer?.text ?? '') as { data: { messages: unknown[]; total: number } }
        expect(data.messages).toHaveLength(1000)
        totals.add(data.total)
      }),
    ),
  )
  expect(Math.min(...totals)).toBeGreaterThanOrEqual(100_000)
})

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place } from '../../packages/cli/test/svc.js'
import { accountStore } from '../../packages/server/src/areas/account/accounts/store.js'
import { tokenStore } from '../../packages/server/src/areas/account/tokens/store.js'
import { withDatabase } from '../../packages/server/src/commands/with-database.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import { send } from '../../packages/server/test/raw-http.js'
import { runSql } from '../../packages/server/test/site.js'
import { isSignedWith, startTarget } from '../../packages/server/test/target-server.js'
import { isLong, random } from './random.js'

/** A killed server loses no event: each one that is stored reaches the webhook of its account. */

const rounds = isLong ? 20 : 2
const { integer } = random('event-webhooks-crash')

const databaseOf = ({ cwd, env }: Place) => readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })

const createToken = (place: Place) =>
  withDatabase(databaseOf(place), async (db) => {
    const account = { email: 'ada@example.com', nickname: '', passwordHash: '', now: Date.now() }
    const owner = await accountStore(db).add(account)
    return (await tokenStore(db).create(owner, 'test', ['account:write'])).token
  })

/** Milliseconds. A delivery that a killed process had claimed is repeated after 20 seconds. */
const timeout = isLong ? 600_000 : 120_000

it(`every stored event is sent after kill -9, ${String(rounds)} times in a row`, { timeout }, async () => {
  await using place = await emptyPlace()
  const target = await startTarget()
  const token = await createToken(place)
  const serve = () => svcServe(place, '--outbound-allow', '127.0.0.1/32')
  const post = (url: string, path: string, body: object) =>
    send(url, 'POST', `/v1/account${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  let secret = ''
  for (let round = 0; round < rounds; round++) {
    await using server = await serve()
    if (round === 0) {
      const made = await post(server.url, '/webhooks', { url: target.url, events: ['account.nickname_change'] })
      secret = (JSON.parse(made.text) as { data: { secret: string } }).data.secret
    }
    const before = target.received.length
    const renames = (async () => {
      for (let n = 0; n < 200; n++) {
        // The connection breaks when the server is killed.
        const answer = await post(server.url, '/profile', {
          field: 'nickname',
          value: `${String(round)}-${String(n)}`,
        }).catch(() => undefined)
        if (answer === undefined) return
      }
    })()
    await vi.waitFor(() => expect(target.received.length).toBeGreaterThan(before), 10_000)
    await sleep(integer(0, 150))
    server.child.kill('SIGKILL')
    await Promise.all([renames, server.ended])
  }

  await using server = await serve()
  const stored = (await runSql(databaseOf(place), `select id from account_event where action = 'nickname_change'`)).map(
    ({ id }) => Number(id),
  )
  const sent = () => new Set(target.received.map(({ body }) => (JSON.parse(body.toString()) as { id: number }).id))
  await vi.waitFor(() => expect(stored.filter((id) => !sent().has(id))).toEqual([]), { timeout: 60_000, interval: 200 })
  expect(sent().size).toBe(stored.length)
  for (const received of target.received) expect(isSignedWith(secret, received)).toBe(true)
  // A repetition has the id of the first attempt.
  expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(stored.length)
  expect(await server.stop()).toBe(0)
  await target.stop()
})

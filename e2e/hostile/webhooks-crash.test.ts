import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place } from '../../packages/cli/test/svc.js'
import { accountStore } from '../../packages/server/src/areas/account/accounts/store.js'
import { deploymentStore } from '../../packages/server/src/areas/deployments/store.js'
import { createSecret } from '../../packages/server/src/ports/outbound/deliveries/signature.js'
import { withDatabase } from '../../packages/server/src/commands/with-database.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import { send } from '../../packages/server/test/raw-http.js'
import { runSql } from '../../packages/server/test/site.js'
import { isSignedWith, startTarget } from '../../packages/server/test/target-server.js'
import { isLong, random } from './random.js'

/** A killed server loses no request that a webhook has acknowledged: another process delivers it. */

const rounds = isLong ? 30 : 3
const clients = 4
const requestsPerClient = 25
/** Of the rounds before. With those of a round, fewer than the 500 that wait for a target at most: a further one would be stored only. */
const waitingMax = 300
const slug = 'crash'
const secret = createSecret()
const { integer } = random('webhooks-crash')

const databaseOf = ({ cwd, env }: Place) => readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })

const createWebhook = (place: Place, target: string) =>
  withDatabase(databaseOf(place), async (db) => {
    const account = { email: 'ada@example.com', nickname: '', passwordHash: '', now: Date.now() }
    const terms = { target, settings: '{}', secret, expiresAt: null, maxUses: null }
    const deployments = deploymentStore(db, 0, () => undefined)
    const owner = await accountStore(db).add(account)
    expect(await deployments.create(owner, { kind: 'webhook', slug, isEnabled: true, ...terms })).toBeDefined()
  })

/** Milliseconds. A delivery that a killed process had claimed is repeated after 20 seconds. */
const timeout = isLong ? 900_000 : 150_000

it(`every acknowledged request is delivered after kill -9, ${String(rounds)} times in a row`, { timeout }, async () => {
  await using place = await emptyPlace()
  const target = await startTarget()
  const acknowledged: string[] = []
  await createWebhook(place, target.url)
  const serve = () => svcServe(place, '--outbound-allow', '127.0.0.1/32')
  const waiting = () => runSql(databaseOf(place), 'select request_id from webhook_delivery where due_at is not null')

  /** Sends requests one after another, until the server is gone. */
  async function sendAll(url: string, name: string): Promise<void> {
    for (let n = 0; n < requestsPerClient; n++) {
      const body = `${name} request ${String(n)}`
      const call = { headers: { host: 'content.localhost' }, body }
      // The connection breaks when the server is killed.
      const answer = await send(url, 'POST', `/h/${slug}`, call).catch(() => undefined)
      if (answer === undefined) return
      expect(answer.status).toBe(200)
      acknowledged.push(body)
    }
  }

  for (let round = 0; round < rounds; round++) {
    const before = acknowledged.length
    await using server = await serve()
    await vi.waitFor(async () => expect((await waiting()).length).toBeLessThan(waitingMax), 60_000)
    const names = Array.from({ length: clients }, (_, n) => `round ${String(round)} client ${String(n)}`)
    const sent = Promise.all(names.map((name) => sendAll(server.url, name)))
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before), 10_000)
    await sleep(integer(0, 150))
    server.child.kill('SIGKILL')
    await Promise.all([sent, server.ended])
  }

  await using server = await serve()
  const bodies = () => new Set(target.received.map(({ body }) => body.toString()))
  // What a killed process had claimed is repeated after its lease.
  await vi.waitFor(() => expect(acknowledged.filter((body) => !bodies().has(body))).toEqual([]), {
    timeout: isLong ? 300_000 : 40_000,
    interval: 200,
  })
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), 30_000)
  for (const received of target.received) expect(isSignedWith(secret, received)).toBe(true)
  // A repetition has the id of the first attempt.
  const ids = new Set(target.received.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body.toString()}`))
  expect(ids.size).toBe(bodies().size)
  const [row] = await runSql(databaseOf(place), 'select uses from deployment')
  expect(row?.['uses']).toBe(bodies().size)
  expect(await server.stop()).toBe(0)
  await target.stop()
})

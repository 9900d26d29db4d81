import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyPlace, svcServe, type Serving } from '../../packages/cli/test/svc.js'
import { tokenStore } from '../../packages/server/src/areas/account/tokens/store.js'
import { accountStore } from '../../packages/server/src/areas/account/accounts/store.js'
import { connect } from '../../packages/server/src/db/connect.js'
import type { Database } from '../../packages/server/src/db/port.js'
import type { Account } from '../../packages/server/src/shared/account.js'
import { isLong } from './random.js'

/** This process revokes tokens in the database of a server that is busy with requests of the same tokens. */

const rounds = isLong ? 2_000 : 40
const clients = 16

const agent = new Agent({ keepAlive: true })
let place: Awaited<ReturnType<typeof emptyPlace>>
let server: Serving & AsyncDisposable
let db: Database
let tokens: ReturnType<typeof tokenStore>
let account: Account
beforeAll(async () => {
  place = await emptyPlace()
  server = await svcServe(place)
  const file = join(place.cwd, 'data', 'svc.db')
  db = await connect({ kind: 'sqlite', file }, (error) => {
    throw error
  })
  tokens = tokenStore(db)
  account = await accountStore(db).add({ email: 'ada@example.com', nickname: '', passwordHash: '', now: Date.now() })
})
afterAll(async () => {
  agent.destroy()
  await db.close()
  await server[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const ask = (token: string) =>
  new Promise<number>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${server.url}/v1/account/me`, { agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
      .on('error', reject)
      .end()
  })

it('refuses every request that is sent after the revocation was acknowledged', async () => {
  const late: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { id, token } = await tokens.create(account, `round ${String(round)}`, ['dns:read'])
    let isRevoked = false
    let accepted = 0
    const client = async () => {
      for (let after = 0; after < 3;) {
        const wasRevoked = isRevoked
        const status = await ask(token)
        if (status === 200) accepted++
        if (!wasRevoked) continue
        after++
        late.push(status)
      }
    }
    const running = Array.from({ length: clients }, client)
    await expect.poll(() => accepted, { interval: 1 }).toBeGreaterThan(2 * clients)
    await tokens.revoke(account, id)
    isRevoked = true
    await Promise.all(running)
  }
  expect(late).toHaveLength(rounds * clients * 3)
  expect(late.filter((status) => status !== 401)).toEqual([])
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svcProcess, svcServe } from '../../packages/cli/test/svc.js'
import { Connections } from '../../packages/server/src/db/postgres/connections.js'
import { openPostgresDatabase } from '../../packages/server/src/db/postgres/postgres.js'
import { freshPostgres, startPgBouncer, type PgBouncer } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'

/** Behind a pooler, svc works as on PostgreSQL itself, or refuses to start and says why. */

const lost = (error: Error) => {
  throw error
}

let postgresUrl: string
beforeAll(async () => {
  postgresUrl = await freshPostgres()
})

describe.each([
  ['with its defaults', {}],
  ['that ignores startup parameters', { ignore_startup_parameters: 'extra_float_digits,options,statement_timeout' }],
])('a PgBouncer of sessions %s', (_, settings) => {
  let pooler: PgBouncer
  let url: string
  beforeAll(async () => {
    pooler = await startPgBouncer(postgresUrl, settings)
    url = pooler.urlOf(await freshPostgres())
  })
  afterAll(() => pooler.stop())

  it('serves: an account, a zone and the lock of a job', async () => {
    await using place = { ...(await emptyPlace()), env: { SVC_DATABASE: url } }
    await using server = await svcServe(place)
    const token = await accountToken(place, 'ada@example.com', '*')
    const answer = await fetch(`${server.url}/v1/dns/zones`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ zone: 'pooled-zone.com' }),
    })
    expect(answer.status).toBe(200)
    const db = await openPostgresDatabase(url, lost)
    expect(await db.withJobLock('a job', async () => 'done', 5_000)).toBe('done')
    await db.close()
    expect(await server.stop()).toBe(0)
  })

  it('rejects writes outside transactions, in every session that it gives out again', async () => {
    for (let round = 1; round <= 3; round++) {
      const connections = new Connections({ url, max: 3, statementMs: 5_000, runsTransactions: true, onLost: lost })
      const sessions = await Promise.all([1, 2, 3].map(() => connections.checkOut(performance.now() + 5_000)))
      for (const { client } of sessions) {
        const { rows } = await client.query(
          `select current_setting('statement_timeout') as statement, current_setting('tcp_user_timeout') as keepalive`,
        )
        expect(rows).toEqual([{ statement: '5s', keepalive: '60000' }])
        await expect(client.query('create table stray (id int)')).rejects.toMatchObject({ code: '25006' })
      }
      for (const { release } of sessions) release()
      await connections.end()
    }
  })
})

it.each(['transaction', 'statement'])('a PgBouncer of %ss is refused by every command', async (mode) => {
  const pooler = await startPgBouncer(postgresUrl, { pool_mode: mode })
  try {
    const url = pooler.urlOf(await freshPostgres())
    await using place = { ...(await emptyPlace()), env: { SVC_DATABASE: url } }
    const refusal =
      'svc: The URL of the database names a pooler that pools transactions or statements, and svc needs sessions: set pool_mode = session for this database (PgBouncer), or name the PostgreSQL server itself.\n'
    for (const args of [
      ['serve', '--port', '0'],
      ['user', 'list'],
      ['backup', 'a.svc'],
    ])
      expect(await svcProcess(args, place)).toEqual({ code: 1, stdout: '', stderr: refusal })
  } finally {
    await pooler.stop()
  }
})

it('an error of the server or of the pooler is printed as it reports it', async () => {
  const url = new URL(postgresUrl)
  const pooler = await startPgBouncer(postgresUrl, { auth_type: 'trust', auth_file: '/dev/null' })
  try {
    await using place = await emptyPlace()
    const errorOf = async (database: string) =>
      (await svcProcess(['user', 'list'], { ...place, env: { SVC_DATABASE: database } })).stderr
    url.pathname = 'missing'
    expect(await errorOf(url.href)).toMatch(
      /^svc: The database postgres:.+\/missing does not exist on that server: create it first \(database "missing" does not exist\); check SVC_DATABASE\.\n$/,
    )
    expect(await errorOf(pooler.urlOf(postgresUrl))).toMatch(
      /^svc: The database postgres:.+ reports an error \("trust" authentication failed\); check SVC_DATABASE\.\n$/,
    )
  } finally {
    await pooler.stop()
  }
})

import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../test/app.js'
import { postgresSession } from '../../test/postgres-session.js'
import { runSql } from '../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../test/two-processes.js'
import { tokenStore } from '../areas/account/tokens/store.js'
import type { Database } from '../db/port.js'
import type { ShownEvent } from './events.js'
import { EventFollower } from './follower.js'

const insert = (object: string) =>
  `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
   values (1, 1, 'account', 'nickname_change', '${object}', 'session', 'console')`

/** A follower whose reads the test calls: time has no part in it. */
function following(db: Pick<Database, 'one' | 'all' | 'commitNumber'>) {
  const events: ShownEvent[] = []
  const wanted = { is: true }
  const follower = new EventFollower({
    db,
    isWanted: () => wanted.is,
    onEvents: (more) => {
      events.push(...more)
    },
  })
  return { follower, wanted, events, objects: () => events.map(({ object }) => object) }
}

describe.each(databaseKinds)('the reader of new events on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())
  const sql = (statement: string) => runSql(site.config, statement)

  it('begins at the newest event, and gives each later one once, of both processes', async () => {
    const [ada] = site.people as [TwoProcesses['people'][0]]
    await tokenStore(site.db).create(ada, 'before', ['dns:read'])
    const { follower, objects, events } = following(site.db)
    expect(follower.position).toBeUndefined()
    await follower.read()
    expect(objects()).toEqual([])
    await tokenStore(site.db).create(ada, 'own', ['dns:read'])
    await tokenStore(site.otherDb).create(ada, 'of the other', ['dns:read'])
    await follower.read()
    await follower.read()
    expect(objects()).toEqual(['own', 'of the other'])
    expect(follower.position).toBe(events.at(-1)?.id)
  })

  it('reads more events than fit into one read', async () => {
    const { follower, objects } = following(site.db)
    await follower.read()
    const values = Array.from(
      { length: 1_200 },
      (_, i) => `(1, 1, 'account', 'nickname_change', '${String(i)}', 'session', 'console')`,
    )
    await sql(
      `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name) values ${values.join()}`,
    )
    await follower.read()
    expect(objects()).toEqual(values.map((_, i) => String(i)))
  })

  it('leaves out the changes of zones whose history is not kept any more', async () => {
    const { follower, objects } = following(site.db)
    await follower.read()
    await sql('insert into account_event (account_id, at, zone_id, serial) values (1, 1, 77, 1)')
    await sql(insert('next'))
    await follower.read()
    expect(objects()).toEqual(['next'])
  })

  it('asks nothing while no events are wanted, and begins anew afterwards', async () => {
    let queries = 0
    const all: Database['all'] = (query, params) => {
      queries++
      return site.db.all(query, params)
    }
    const one: Database['one'] = (query, params) => {
      queries++
      return site.db.one(query, params)
    }
    const { follower, objects, wanted } = following({ all, one, commitNumber: () => site.db.commitNumber() })
    await follower.read()
    wanted.is = false
    await sql(insert('unheard'))
    queries = 0
    await follower.read()
    expect([queries, follower.position]).toEqual([0, undefined])
    wanted.is = true
    await follower.read()
    await sql(insert('heard'))
    await follower.read()
    expect(objects()).toEqual(['heard'])
    queries = 0
    await follower.read()
    // On SQLite, it asks only whether there was a commit.
    expect(queries).toBe(kind === 'sqlite' ? 0 : 1)
  })

  it('goes on where it was after an error of the database', async () => {
    let isFailing = false
    const all: Database['all'] = async (query, params) => {
      if (isFailing) throw new Error('away')
      return site.db.all(query, params)
    }
    const { follower, objects } = following({ ...reading(site.db), all })
    await follower.read()
    await sql(insert('meanwhile'))
    isFailing = true
    await expect(follower.read()).rejects.toThrow('away')
    isFailing = false
    await follower.read()
    expect(objects()).toEqual(['meanwhile'])
  })

  it('does not wait for ids that no event has', async () => {
    const { follower, objects } = following(site.db)
    await follower.read()
    await sql(insert('a'))
    await sql(insert('removed'))
    await sql(insert('b'))
    await sql("delete from account_event where object = 'removed'")
    await follower.read()
    expect([objects(), follower.holding !== undefined]).toEqual([['a', 'b'], false])
  })
})

const reading = (db: Database): Pick<Database, 'one' | 'all' | 'commitNumber'> => ({
  one: (query, params) => db.one(query, params),
  all: (query, params) => db.all(query, params),
  commitNumber: () => db.commitNumber(),
})

type Session = Awaited<ReturnType<typeof postgresSession>>

describe('events whose transactions are committed in another order than their ids', () => {
  let site: TwoProcesses
  let first: Session
  let second: Session
  beforeAll(async () => {
    site = await twoProcesses('postgres')
  })
  beforeEach(async () => {
    first = await session()
    second = await session()
  })
  afterEach(async () => {
    await first[Symbol.asyncDispose]()
    await second[Symbol.asyncDispose]()
  })
  afterAll(() => site.stop())

  const session = () => postgresSession((site.config as { readonly url: string }).url)

  it.each([
    ['commit', ['early', 'late', 'last']],
    ['rollback', ['late', 'last']],
  ])('holds back what is behind a transaction until its %s', async (end, expected) => {
    const { follower, objects } = following(site.db)
    await follower.read()
    await first.query('begin')
    await first.query(insert('early'))
    await second.query(insert('late'))
    await follower.read()
    await follower.read()
    expect([objects(), follower.holding !== undefined]).toEqual([[], true])
    await first.query(end)
    await second.query(insert('last'))
    await follower.read()
    expect([objects(), follower.holding !== undefined]).toEqual([expected, false])
  })

  it('goes on when the connection of the transaction is lost', async () => {
    const { follower, objects } = following(site.db)
    await follower.read()
    const lost = new pg.Client((site.config as { readonly url: string }).url)
    lost.on('error', () => undefined)
    await lost.connect()
    await lost.query('begin')
    await lost.query(insert('early'))
    const { rows } = await lost.query<{ pid: number }>('select pg_backend_pid() as pid')
    await second.query(insert('late'))
    await follower.read()
    expect(objects()).toEqual([])
    await second.query(`select pg_terminate_backend(${String(rows[0]?.pid)}, 5000)`)
    await follower.read()
    expect(objects()).toEqual(['late'])
  })

  it('waits for no transaction without events, and for none that begins later', async () => {
    const { follower, objects } = following(site.db)
    await follower.read()
    await first.query('begin')
    await first.query("insert into change_clock (name, value) values ('test', 1)")
    await second.query('begin')
    await second.query(insert('gone'))
    await second.query('rollback')
    await second.query(insert('a'))
    await follower.read()
    expect(objects()).toEqual(['a'])
    await first.query(insert('later'))
    await second.query(insert('b'))
    await follower.read()
    await second.query(insert('c'))
    await follower.read()
    expect(objects()).toEqual(['a'])
    await first.query('rollback')
    await follower.read()
    expect(objects()).toEqual(['a', 'b', 'c'])
  })

  it('has no place before the transactions of its beginning have ended', async () => {
    await first.query('begin')
    await first.query(insert('before'))
    await second.query(insert('newest'))
    const { follower, objects } = following(site.db)
    await follower.read()
    await follower.read()
    expect([follower.position, follower.holding !== undefined]).toEqual([undefined, true])
    await second.query(insert('after'))
    await first.query('commit')
    await follower.read()
    expect([objects(), follower.holding !== undefined]).toEqual([['after'], false])
  })

  it('gives every committed event once, in the order of the ids, for random transactions', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, session))
    const inTransaction = new Set<Session>()
    const { follower, events } = following(site.db)
    await follower.read()
    const start = follower.position ?? 0
    for (let inserted = 0; inserted < 300;) {
      const one = sessions[Math.floor(Math.random() * sessions.length)]!
      const dice = Math.random()
      if (dice < 0.2) await follower.read()
      else if (!inTransaction.has(one)) {
        inTransaction.add(one)
        await one.query('begin')
      } else if (dice < 0.6) await one.query(insert(`event ${String(++inserted)}`))
      else {
        inTransaction.delete(one)
        await one.query(dice < 0.9 ? 'commit' : 'rollback')
      }
    }
    for (const one of inTransaction) await one.query('commit')
    for (const one of sessions) await one[Symbol.asyncDispose]()
    await follower.read()
    const stored = await first.query(`select id from account_event where id > ${String(start)} order by id`)
    expect(events.length).toBeGreaterThan(100)
    expect(events.map(({ id }) => id)).toEqual(stored.map(({ id }) => Number(id)))
  }, 60_000)
})

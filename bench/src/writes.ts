import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { accountStore } from '../../packages/server/dist/areas/account/accounts/store.js'
import { connect } from '../../packages/server/dist/db/connect.js'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'

const roundMs = 1_500

/** Durable single-row writes with `write()`, against one commit per row with better-sqlite3 and synchronous=FULL. */
export async function benchWrites(folder: string): Promise<void> {
  const db = await connect({ kind: 'sqlite', file: join(folder, 'writes.db') }, fail)
  const accounts = accountStore(db)
  const account = await accounts.add({ email: 'bench@example.com', nickname: '', passwordHash: 'x', now: 0 })

  const plain = new BetterSqlite(join(folder, 'plain.db'))
  plain.pragma('journal_mode = wal')
  plain.pragma('synchronous = full')
  plain.exec(
    "create table account (id integer primary key, nickname text not null); insert into account values (1, '')",
  )
  const update = plain.prepare('update account set nickname = ? where id = 1')

  const figures = await measureRounds(5, {
    plain: async () =>
      perSecond((until) => {
        let done = 0
        for (; performance.now() < until; done++) update.run(`plain ${done}`)
        return Promise.resolve(done)
      }),
    one: () => perSecond((until) => writeRepeatedly(until, (i) => accounts.setNickname(account, `one ${i}`))),
    fifty: () =>
      perSecond(async (until) => {
        const clients = Array.from({ length: 50 }, () =>
          writeRepeatedly(until, (i) => accounts.setNickname(account, `many ${i}`)),
        )
        return (await Promise.all(clients)).reduce((sum, done) => sum + done, 0)
      }),
  })
  await db.close()
  plain.close()

  printInfo('better-sqlite3, one commit per row', `${Math.round(median(figures.plain))} rows/s`)
  checkLimit('write(), one client, against better-sqlite3', medianRatio(figures.one, figures.plain), { atLeast: 0.7 })
  checkLimit('write(), fifty clients, against better-sqlite3', medianRatio(figures.fifty, figures.plain), {
    atLeast: 2.5,
  })
}

async function perSecond(work: (until: number) => Promise<number>): Promise<number> {
  const began = performance.now()
  const done = await work(began + roundMs)
  return (done / (performance.now() - began)) * 1000
}

async function writeRepeatedly(until: number, write: (i: number) => Promise<void>): Promise<number> {
  let done = 0
  for (; performance.now() < until; done++) await write(done)
  return done
}

const fail = (error: Error): never => {
  throw error
}

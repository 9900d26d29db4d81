import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { accountStore } from '../../packages/server/dist/areas/account/accounts/store.js'
import { connect } from '../../packages/server/dist/db/connect.js'
import { checkRatio, measureRounds, median, medianRatio, printInfo } from './measure.js'

const roundMs = 1_500

/** Durable single-row writes with `write()`, against one commit per row with better-sqlite3 and synchronous=FULL. */
export async function benchWrites(folder: string): Promise<void> {
  const db = await connect({ kind: 'sqlite', file: join(folder, 'writes.db') }, fail)
  const accounts = accountStore(db)
  const account = await accounts.add({ email: 'bench@example.com', nickname: '', passwordHash: 'x', now: 0 })

  const plain = openPlain(join(folder, 'plain.db'))

  const worker = startWorker(join(folder, 'worker.db'))
  const figures = await measureRounds(5, {
    worker: () => perSecond((until) => writeRepeatedly(until, (i) => worker.write(`worker ${i}`))),
    plain: async () =>
      perSecond((until) => {
        let done = 0
        for (; performance.now() < until; done++) plain.update(`plain ${done}`)
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
  await worker.stop()
  plain.close()

  printInfo('better-sqlite3, one commit per row', `${Math.round(median(figures.plain))}/s`)
  const compare = (what: string, side: 'one' | 'fifty', peer: 'plain' | 'worker', atLeast: number) => {
    const shown = (name: keyof typeof figures) => `${Math.round(median(figures[name]))}/s`
    const peerName = peer === 'plain' ? 'better-sqlite3' : 'better-sqlite3 in a worker thread'
    const ratio = medianRatio(figures[side], figures[peer])
    checkRatio(what, { figure: shown(side), peer: `${peerName}: ${shown(peer)}`, ratio }, { atLeast })
  }
  // In the thread of its caller better-sqlite3 is faster, and blocks it: the hop to another thread and back is the difference.
  compare('write(), one client', 'one', 'worker', 0.7)
  compare('write(), fifty clients', 'fifty', 'plain', 2.5)
}

/** A database of better-sqlite3 with one row, whose commits are durable. */
function openPlain(file: string) {
  const handle = new BetterSqlite(file)
  handle.pragma('journal_mode = wal')
  handle.exec(
    "create table account (id integer primary key, nickname text not null); insert into account values (1, '')",
  )
  handle.pragma('synchronous = full')
  const update = handle.prepare(updateRow)
  return {
    update: (nickname: string) => update.run(nickname),
    close: () => {
      handle.close()
    },
  }
}

const updateRow = 'update account set nickname = ? where id = 1'

/** JavaScript, because tsx does not load the modules of a worker thread. */
const workerCode = `
  const { parentPort, workerData } = require('node:worker_threads')
  const handle = require('better-sqlite3')(workerData)
  handle.pragma('synchronous = full')
  const update = handle.prepare(${JSON.stringify(updateRow)})
  parentPort.on('message', (nickname) => parentPort.postMessage(update.run(nickname).changes))
`

/** Writes rows one after the other in a worker thread, each with a message and its answer. */
function startWorker(file: string) {
  openPlain(file).close()
  const worker = new Worker(workerCode, { eval: true, workerData: file })
  const write = async (nickname: string): Promise<void> => {
    worker.postMessage(nickname)
    await once(worker, 'message')
  }
  return { write, stop: () => worker.terminate() }
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

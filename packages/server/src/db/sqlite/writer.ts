import { parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '@svc/contract/errors'
import '../../areas/stores.js'
import { SqliteConnection, openSqlite } from './connection.js'
import { GroupCommit, type Job, type Outcome } from './group-commit.js'
import type { Crossed } from './writer-thread.js'

/** The thread that writes: takes jobs, commits all that wait together, answers them together. */

if (parentPort === null) throw new Error('writer.ts runs as a worker thread.')
const port = parentPort
const { file } = workerData as { file: string }
const connection = new SqliteConnection(openSqlite(file))
const group = new GroupCommit(connection)

let waiting: Job[] = []
let busy = false
let closing = false

port.on('message', (message: Job | 'close') => {
  if (message === 'close') closing = true
  else waiting.push(message)
  // Once per turn of the loop: what arrives in the same turn shares the commit.
  if (!busy) {
    busy = true
    setImmediate(() => void drain())
  }
})

async function drain(): Promise<void> {
  while (waiting.length > 0) {
    const jobs = waiting
    waiting = []
    const outcomes = await group.run(jobs)
    port.postMessage(outcomes.map(cross))
    // Lets the jobs that came during the fsync in.
    await new Promise(setImmediate)
  }
  busy = false
  if (closing) {
    connection.handle.close()
    port.close()
  }
}

function cross(outcome: Outcome): Crossed {
  if (!('error' in outcome)) return outcome
  const { id, error } = outcome
  if (!(error instanceof ApiError)) return { id, error: { other: error } }
  const { code, message, extra, headers } = error
  return { id, error: { api: { code, message, extra, headers } } }
}

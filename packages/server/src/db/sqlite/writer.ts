import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { ApiError } from '@svc/contract/errors'
import '../../areas/stores.js'
import { SqliteConnection, openSqlite } from './connection.js'
import { GroupCommit, type Job, type Outcome } from './group-commit.js'
import type { Crossed } from './writer-thread.js'

/** The thread that writes: takes jobs, commits all that wait together, answers them together. */

if (parentPort === null) throw new Error('writer.ts runs as a worker thread.')
const port = parentPort
type Message = Job | 'close'

const { file } = workerData as { file: string }
const connection = new SqliteConnection(openSqlite(file))
const group = new GroupCommit(connection)

// Whatever waits at the port when a group begins belongs to it: nothing is delayed so that more may come.
let running = Promise.resolve()
port.on('message', (first: Message) => {
  const messages = [first]
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    messages.push(next.message as Message)
  running = running.then(() => answer(messages))
})

async function answer(messages: readonly Message[]): Promise<void> {
  const jobs = messages.filter((message) => message !== 'close')
  if (jobs.length > 0) port.postMessage((await group.run(jobs)).map(cross))
  if (jobs.length === messages.length) return
  connection.handle.close()
  port.close()
}

function cross(outcome: Outcome): Crossed {
  if (!('error' in outcome)) return outcome
  const { id, error } = outcome
  if (!(error instanceof ApiError)) return { id, error: { other: error } }
  const { code, message, extra, headers } = error
  return { id, error: { api: { code, message, extra, headers } } }
}

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { SqliteConnection, openSqlite } from './connection.js'
import { encodeError } from './crossing-error.js'
import { GroupCommit, type Job, type Outcome } from './group-commit.js'
import type { Crossed } from './writer-thread.js'

/** The thread that writes: takes jobs, commits all that wait together, answers them together. */

if (parentPort === null) throw new Error('writer.ts runs as a worker thread.')
const port = parentPort
type Message = Job | 'close'

/** How often the writer retries to overwrite a failed commit while the disk fails and no write arrives. */
const overwriteEveryMs = 1_000

const { file } = workerData as { file: string }
const connection = new SqliteConnection(openSqlite(file))
const group = new GroupCommit(connection)
let overwriting: NodeJS.Timeout | undefined

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
  if (group.mayComeBack) overwriteLater()
  if (jobs.length === messages.length) return
  clearTimeout(overwriting)
  connection.handle.close()
  port.close()
}

function overwriteLater(): void {
  clearTimeout(overwriting)
  overwriting = setTimeout(() => {
    running = running.then(() => {
      if (!connection.handle.open || !group.mayComeBack) return
      group.overwriteFailedCommit()
      overwriteLater()
    })
  }, overwriteEveryMs)
}

function cross(outcome: Outcome): Crossed {
  return 'error' in outcome ? { id: outcome.id, error: encodeError(outcome.error) } : outcome
}

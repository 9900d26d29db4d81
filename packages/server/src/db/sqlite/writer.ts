import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { isFullDisk } from '../../shared/full-disk.js'
import { releaseStartUpMemory } from '../../shared/start-up-memory.js'
import { unitModules } from '../unit.js'
import { SqliteConnection, openSqlite } from './connection.js'
import { GroupCommit, type Job, type Outcome } from './group-commit.js'
import { freeReserve } from './reserve-file.js'
import { serializeError } from './serialized-error.js'
import type { Message, SerializedOutcome, WriterData } from './writer-thread.js'

/** The writer thread: queued jobs share one commit, and their outcomes are posted together. */

if (parentPort === null) throw new Error('writer.ts runs as a worker thread.')
const port = parentPort

/** How often the writer retries to overwrite a failed commit while the disk fails and no write arrives. */
const overwriteEveryMs = 1_000

/** By then, the modules are loaded and the writes of the start are done. */
const settledAfterMs = 1_000

const { file, modules } = workerData as WriterData
const connection = new SqliteConnection(openSqlite(file))
const group = new GroupCommit(connection)
let overwriting: NodeJS.Timeout | undefined

// A group is all jobs that are queued when it begins; the writer does not wait for more.
// A module that cannot be loaded fails its jobs later, with the reason.
// In the bundle they are all loaded already.
const loaded = new Set(unitModules())
let running: Promise<unknown> = Promise.allSettled(
  modules.filter((module) => !loaded.has(module)).map((module) => import(module)),
)
void running.then(() => setTimeout(releaseStartUpMemory, settledAfterMs).unref())
port.on('message', (first: Message) => {
  const messages = [first]
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    messages.push(next.message as Message)
  running = running.then(() => handleMessages(messages))
})

async function handleMessages(messages: readonly Message[]): Promise<void> {
  const jobs = messages.flatMap((message) => (message === 'close' || 'eraseLog' in message ? [] : message))
  if (jobs.length > 0) port.postMessage((await runJobs(jobs)).map(serializeOutcome))
  for (const message of messages)
    if (message !== 'close' && 'eraseLog' in message) port.postMessage([serializeOutcome(eraseLog(message.eraseLog))])
  if (group.hasReplayableCommit) overwriteLater()
  if (!messages.includes('close')) return
  clearTimeout(overwriting)
  connection.handle.close()
  port.close()
}

/** On a full disk, repeats the jobs that have failed: first with the space of the WAL file, then with that of the reserve file. */
async function runJobs(jobs: readonly Job[]): Promise<Outcome[]> {
  let outcomes = await group.run(jobs)
  for (const makeRoom of [reuseLog, () => freeReserve(file)]) {
    const failed = new Set(outcomes.filter((outcome) => 'error' in outcome && isFullDisk(outcome.error)).map(idOf))
    if (failed.size === 0) break
    if (!makeRoom()) continue
    const repeated = await group.run(jobs.filter(({ id }) => failed.has(id)))
    outcomes = [...outcomes.filter(({ id }) => !failed.has(id)), ...repeated]
  }
  return outcomes
}

const idOf = ({ id }: Outcome): number => id

/** Moves all commits to the database file, so that the next one overwrites the WAL file. @returns whether all were moved */
function reuseLog(): boolean {
  try {
    const [result] = connection.handle.pragma('wal_checkpoint(passive)') as { log: number; checkpointed: number }[]
    return result?.log === result?.checkpointed
  } catch {
    // The database file cannot grow either.
    return false
  }
}

/** Waits up to the busy timeout for the readers of other processes. */
function eraseLog(id: number): Outcome {
  try {
    const [result] = connection.handle.pragma('wal_checkpoint(truncate)') as { readonly busy: number }[]
    if (result?.busy === 0) return { id, value: undefined }
    return {
      id,
      error: new Error('The WAL file of the database cannot be emptied: another process reads the database.'),
    }
  } catch (error) {
    return { id, error }
  }
}

function overwriteLater(): void {
  clearTimeout(overwriting)
  overwriting = setTimeout(() => {
    running = running.then(() => {
      if (!connection.handle.open || !group.hasReplayableCommit) return
      group.overwriteFailedCommit()
      overwriteLater()
    })
  }, overwriteEveryMs)
}

function serializeOutcome(outcome: Outcome): SerializedOutcome {
  return 'error' in outcome ? { id: outcome.id, error: serializeError(outcome.error) } : outcome
}

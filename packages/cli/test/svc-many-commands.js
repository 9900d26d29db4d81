// Runs commands of svc one after the other, so that only the first one has to load its modules. Each is run like a process: in its
// directory, with its environment and its stdin, and its output is collected. warm-svc.ts sends the commands.
import { Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { run } from '../dist/bundle/main.js'

/** Thrown instead of ending this process. */
class Exit extends Error {
  constructor(code) {
    super(`exit with ${code}`)
    this.code = code
  }
}
const end = process.exit.bind(process)
process.exit = (code) => {
  throw new Exit(code)
}

const replace = (name, stream) => Object.defineProperty(process, name, { value: stream, configurable: true })

function collect(name) {
  const chunks = []
  const write = (chunk, _encoding, done) => {
    chunks.push(chunk)
    done()
  }
  replace(name, new Writable({ write }))
  return () => Buffer.concat(chunks)
}

/** @returns the exit code */
async function runToEnd(args) {
  process.exitCode = undefined
  try {
    await run([process.execPath, 'svc', ...args])
  } catch (error) {
    if (error instanceof Exit) return error.code
    throw error
  }
  return process.exitCode ?? 0
}

/** Where Node.js keeps what `fetch` sends with. On Node.js 26 the first is a wrapper of the second. */
const dispatcherKeys = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

/** Closes the connections that `fetch` keeps open, like the end of a process. */
async function closeConnections() {
  const [first, second] = dispatcherKeys.map((key) => globalThis[key])
  if (first === undefined) return
  const isWrapper = second !== undefined && first.constructor !== second.constructor
  const next = new (isWrapper ? second : first).constructor()
  globalThis[dispatcherKeys[0]] = isWrapper ? new first.constructor(next) : next
  if (second !== undefined) globalThis[dispatcherKeys[1]] = next
  for (const used of new Set([first, second])) await used?.destroy()
}

const openResources = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length

/** Whether the command has left no socket, timer or thread: these would disturb the next one. */
async function isClean(openBefore) {
  await closeConnections()
  for (let turns = 0; turns < 100; turns++) {
    if (openResources() <= openBefore) return true
    await nextTurn()
  }
  return false
}

process.on('message', async ({ args, cwd, env, stdin }) => {
  const openBefore = openResources()
  process.chdir(cwd)
  process.env = env
  replace('stdin', Readable.from([Buffer.from(stdin)], { objectMode: false }))
  const [stdout, stderr] = [collect('stdout'), collect('stderr')]
  const code = await runToEnd(args)
  const isReusable = await isClean(openBefore)
  process.send({ code, stdout: stdout(), stderr: stderr(), isReusable }, () => {
    if (!isReusable) end(0)
  })
})
process.on('disconnect', () => end(0))

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

/** Closes the connections that `fetch` keeps open, like the end of a process. */
async function closeConnections() {
  const key = Symbol.for('undici.globalDispatcher.1')
  const dispatcher = globalThis[key]
  if (dispatcher === undefined) return
  globalThis[key] = new dispatcher.constructor()
  await dispatcher.destroy()
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

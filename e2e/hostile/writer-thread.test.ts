import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { client } from './api-traffic.js'

/** A server on SQLite that has lost the thread that writes ends, so that a supervisor starts one that works. */

/** Loaded into every thread of the server: ends the one that writes as soon as a file is there. */
const ending = (how: string, signal: string) => `
  const { isMainThread, workerData } = require('node:worker_threads')
  if (!isMainThread && workerData?.file)
    setInterval(() => { if (require('node:fs').existsSync(${JSON.stringify(signal)})) { ${how} } }, 20)
`

it.each([
  ['exits', 'process.exit(7)', /ended with exit code 7\./],
  ['throws', "throw new Error('on purpose')", /ended with exit code 1\..*on purpose/],
  ['runs out of memory', 'const all = []; for (;;) all.push(new Array(1000).fill({}))', /ERR_WORKER_OUT_OF_MEMORY/],
])('a thread that %s: fatal in the log, exit code 1, no answer 500 for ever', async (_, how, message) => {
  await using place = await emptyPlace()
  const callsTo = await client(place)
  const signal = join(place.cwd, 'end')
  const preload = join(place.cwd, 'preload.cjs')
  await writeFile(preload, ending(how, signal))
  const options = `--require=${preload} --max-old-space-size=100`
  await using server = await svcServe({ ...place, env: { NODE_OPTIONS: options } })
  const call = callsTo(server.url)
  expect((await call('POST', '/v1/dns/zones', { zone: 'thread.example' })).status).toBe(200)
  await writeFile(signal, '')
  expect(await server.ended).toBe(1)
  const fatal = server.log.filter(({ level }) => level === 'fatal')
  expect(fatal).toHaveLength(1)
  expect(JSON.stringify(fatal[0])).toMatch(message)
})

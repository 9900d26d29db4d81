import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { client } from './api-traffic.js'

/** A server on SQLite exits when its writer thread ends, so that a supervisor restarts it. */

/** A script for every thread of the server. It ends the writer thread once the signal file exists. */
const endWriter = (how: string, signal: string) => `
  const { isMainThread, workerData } = require('node:worker_threads')
  if (!isMainThread && workerData?.file)
    setInterval(() => { if (require('node:fs').existsSync(${JSON.stringify(signal)})) { ${how} } }, 20)
`

it.each([
  ['exits', 'process.exit(7)', /ended with exit code 7\./],
  ['throws', "throw new Error('on purpose')", /ended with exit code 1\..*on purpose/],
  [
    'runs out of memory',
    'const all = []; for (;;) all.push({ text: `row ${all.length}` })',
    /ERR_WORKER_OUT_OF_MEMORY/,
  ],
])('a writer thread that %s: one fatal log line and exit code 1', async (_, how, message) => {
  await using place = await emptyPlace()
  const callsTo = await client(place)
  const signal = join(place.cwd, 'end')
  const preload = join(place.cwd, 'preload.cjs')
  await writeFile(preload, endWriter(how, signal))
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

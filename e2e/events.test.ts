import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../packages/cli/test/svc.js'
import { accountToken } from './account-token.js'
import { blocksOf } from './markdown-blocks.js'

/** The commands and programs of docs/events.md, on the built system. */

vi.setConfig({ testTimeout: 60_000 })

const root = fileURLToPath(new URL('..', import.meta.url))
const blocks = blocksOf(await readFile(new URL('../docs/events.md', import.meta.url), 'utf8'))
const blockWith = (part: string) => blocks.find(({ text }) => text.includes(part))?.text ?? ''

let place: Place & AsyncDisposable
let serving: Serving & AsyncDisposable
let token: string
let children: ChildProcess[] = []
beforeEach(async () => {
  place = await emptyPlace()
  serving = await svcServe(place)
  token = await accountToken(place, 'ada@example.com', '*')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  children = []
  await serving[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** Runs a program. @returns what it has printed so far */
function printing(command: string, args: readonly string[], stdin = ''): () => string {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, TOKEN: token } })
  children.push(child)
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stdin.end(stdin)
  return () => text
}

async function claim(zone: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${serving.url}/v1/dns/zones`, { method: 'POST', headers, body: JSON.stringify({ zone }) })
  expect(answer.status, await answer.text()).toBe(200)
}

const patience = { timeout: 20_000, interval: 50 }
const here = (text: string) => text.replace('https://api.example.com', serving.url)

it('curl prints events as they happen', async () => {
  const printed = printing('sh', ['-c', here(blockWith('curl -N'))])
  await expect.poll(printed, patience).toMatch(/^retry: 3000\nid: \d+\n\n/)
  await claim('curl.example')
  await expect
    .poll(printed, patience)
    .toMatch(/\n\nid: \d+\ndata: \{"id":\d+,"at":"[^"]+","area":"dns","action":"zone_claim".*\}\n\n/)
})

it('the program with fetch misses nothing while the server is killed and restarted', async () => {
  const printed = printing(process.execPath, ['--input-type=module'], here(blockWith('createClient')))
  const zonesIn = () => Array.from(printed().matchAll(/zone: '([\w-]+)\.example'/g), ([, name]) => name)
  // It has no place in the events before its first one.
  await expect
    .poll(async () => {
      await claim(`first-${String(Date.now())}.example`)
      return zonesIn().length
    }, patience)
    .toBeGreaterThan(0)
  await claim('a.example')
  await claim('b.example')
  const { port } = new URL(serving.url)
  await serving[Symbol.asyncDispose]()
  serving = await svcServe(place, '--port', port)
  await claim('c.example')
  await expect.poll(() => zonesIn().slice(-3), patience).toEqual(['a', 'b', 'c'])
})

it('a stop of the server ends streams at once', async () => {
  const response = await fetch(`${serving.url}/v1/events`, { headers: { authorization: `Bearer ${token}` } })
  const ended = response.text()
  const since = performance.now()
  expect(await serving.stop()).toBe(0)
  expect(await ended).toMatch(/^retry: 3000\nid: \d+\n\n$/)
  expect(performance.now() - since).toBeLessThan(5_000)
})

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSms, type SmsSite } from '../packages/server/test/sms-site.js'
import { ensure } from '../test/servers/index.js'

/** The commands of docs/sms.md that try what each app sends. */

const commands = Array.from(
  readFileSync(new URL('../docs/sms.md', import.meta.url), 'utf8').matchAll(/^```sh\n(curl \$SMS [^]*?)^```$/gm),
  ([, command = '']) => command,
)

let site: SmsSite
let address: string
beforeAll(async () => {
  ensure('curl')
  site = await startSms('sqlite')
  address = `${site.url}/sms/${(await site.createKey()).key}`
})
afterAll(() => site.stop())

it.each([
  { to: null, sim: null, device: null },
  { to: null, sim: 'SIM1', device: 'ffffffffceb0b1db0000018e937c815b' },
  { to: null, sim: 'SIM1', device: null },
  { to: '13013', sim: null, device: null },
])('command %# stores a message', async (fields) => {
  const answer = await runShell(commands.shift() ?? '')
  expect(JSON.parse(answer)).toMatchObject({ data: { stored: true } })
  const { messages } = await site.messages('?limit=1')
  expect(messages[0]).toMatchObject({ from: '+15550100', body: 'Your code is 123456', ...fields })
})

it('tests every command of the document', () => {
  expect(commands).toEqual([])
})

const run = promisify(execFile)

const runShell = async (command: string): Promise<string> =>
  (await run('bash', ['-c', command], { env: { ...process.env, SMS: address } })).stdout

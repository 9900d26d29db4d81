import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svc, type Place } from '../../packages/cli/test/svc.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { ensure } from '../../test/servers/index.js'

/** Text from outside cannot control a terminal, or hide or reorder text on it. */

const bin = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))

/** ESC, C1, DEL, a bidi override, a zero-width space, a tag character (plane 14), a line separator, a bare CR. */
const hostile = 'a\u001b[2J\u009b31m\u007f\u202eb\u200b\u{e0041}\u2028c\rd'
const harmful = /(?![\n\t]|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const escaped = String.raw`a\u{1b}[2J\u{9b}31m\u{7f}\u{202e}b\u{200b}\u{e0041}\u{2028}c\u{d}d`

let site: Site
let place: Place & AsyncDisposable
/** Settings for commands on the site's database. */
let env: Record<string, string>
beforeAll(async () => {
  place = await emptyPlace()
  site = await startSite('sqlite')
  env = { SVC_DATABASE: site.database.kind === 'sqlite' ? `sqlite:${site.database.file}` : site.database.url }
})
afterAll(async () => {
  await site.stop()
  await place[Symbol.asyncDispose]()
})

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const json = (body: unknown, status = 200): Promise<string> =>
  answering((_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  )

const shellQuoted = (argument: string) => `'${argument.replaceAll("'", String.raw`'\''`)}'`

/** Runs a command on a pseudo-terminal. @returns its stdout and stderr */
async function onTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  ensure('script')
  const command = [process.execPath, bin, ...args].map(shellQuoted).join(' ')
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: place.cwd,
    env: { ...Object.fromEntries(others), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  return output.replaceAll('\r\n', '\n')
}

describe('svc api on a terminal', () => {
  it('escapes control and format characters in JSON, which keeps its meaning', async () => {
    const data = { [hostile]: [hostile] }
    const output = await onTerminal([
      'api',
      'public',
      'time',
      '--url',
      await json({ success: true, data, request_id: 'r' }),
    ])
    expect(output).not.toMatch(harmful)
    expect(JSON.parse(output)).toEqual(data)
  })

  it('escapes an error message and an envelope', async () => {
    const envelope = { success: false, error: 'not_found', message: hostile, request_id: hostile }
    const output = await onTerminal(['api', 'public', 'time', '--raw', '--url', await json(envelope, 404)])
    expect(output).not.toMatch(harmful)
    expect(output).toContain(`not_found: ${escaped} (${escaped})\n`)
  })

  it('escapes a document and the bytes of a stream', async () => {
    const url = await answering((_request, response) => response.end(`# ${hostile}\n\tend \u00fc\n`))
    for (const output of [
      await onTerminal(['api', 'catalogue', 'llms', '--url', url]),
      await onTerminal(['api', 'files', 'download', '--id', '7', '--url', url]),
    ])
      expect(output).toBe(`# ${escaped}\n\tend \u00fc\n`)
  })

  it('escapes arguments in error messages', async () => {
    const words = ['--url', `http://x ${hostile}`]
    for (const args of [
      ['api', hostile],
      ['api', 'public', 'time', ...words],
      ['api', 'public', 'time', `--${hostile}`],
      [hostile],
    ])
      expect(await onTerminal(args), String(args)).not.toMatch(harmful)
  })
})

describe('piped', () => {
  it('a piped document is unchanged, byte for byte', async () => {
    const document = `# ${hostile}\n`
    const url = await answering((_request, response) => response.end(document))
    const child = spawn(process.execPath, [bin, 'api', 'catalogue', 'llms', '--url', url])
    const [stdout] = await Promise.all([buffer(child.stdout), once(child, 'close')])
    expect(stdout.equals(Buffer.from(document))).toBe(true)
  })

  it('stderr is escaped, because it may still reach a terminal', async () => {
    const { stderr } = await svc(['dns', 'import', 'x.example', hostile], place)
    expect(stderr).toContain(escaped)
    expect(stderr).not.toMatch(harmful)
  })
})

describe('names that were stored before svc refused such characters', () => {
  beforeAll(async () => {
    await site.token(await site.account('ada@example.com'), '*')
    await site.sql(`update account set nickname = '${hostile}\nsecond line'`)
    await site.sql(`update token set name = '${hostile}\nsecond line'`)
  })

  it.each([
    ['user', ['user', 'list']],
    ['token', ['token', 'list', 'ada@example.com']],
  ])('a table of %ss has one line for each, aligned', async (_what, args) => {
    const piped = (await svc(args, { ...place, env })).stdout
    for (const output of [piped, await onTerminal(args, env)]) {
      expect(output).not.toMatch(harmful)
      const [head = '', row = '', ...rest] = output.trimEnd().split('\n')
      expect(rest).toEqual([])
      expect(row).toContain(`${escaped}\\u{a}second line`)
      const column = args[0] === 'user' ? 'created' : 'prefix'
      expect(row.slice(head.indexOf(column))).toMatch(/^(\d{4}-|svc_)/)
    }
  })

  it('JSON of names that were stored before keeps its meaning', async () => {
    const output = await onTerminal(['user', 'list', '--json'], env)
    expect(output).not.toMatch(harmful)
    expect(JSON.parse(output)).toMatchObject([{ nickname: `${hostile}\nsecond line` }])
  })
})

it('directives, owners, types and values of a zone file are escaped', async () => {
  const lines = [
    `$${hostile}`,
    `${hostile} A 192.0.2.1`,
    `w ${hostile} x`,
    `w A ${hostile}`,
    `@ TXT "${hostile}"`,
    `w MX 1 ${hostile}`,
  ]
  await writeFile(join(place.cwd, 'hostile.zone'), lines.map((line) => line.replace('\r', '')).join('\n'))
  const output = await onTerminal(['dns', 'import', 'x.example', 'hostile.zone'])
  expect(output).toMatch(/^svc: line 1: /)
  expect(output).toContain(String.raw`\u{202e}b\u{200b}`)
  expect(output).not.toMatch(harmful)
})

it('zone names and errors of a DNS provider are escaped', async () => {
  const settings = { ...env, SVC_POWERDNS_KEY: 'k', SVC_NAMESERVERS: 'ns1.svc.example' }
  const names = await json([{ id: 'x', name: `${hostile}.example.`, kind: 'Native' }])
  const failing = await json({ error: hostile }, 422)
  for (const url of [names, failing]) {
    const output = await onTerminal(['dns', 'sync'], { ...settings, SVC_DNS: `powerdns+${url}` })
    expect(output).toContain('31m')
    expect(output).not.toMatch(harmful)
  }
})

it('invalid settings and the path of a missing database are escaped', async () => {
  const output = await onTerminal(['serve'], { SVC_HOST: hostile, SVC_DATA: hostile })
  expect(output).toContain('SVC_HOST is ')
  expect(output).not.toMatch(harmful)
  const users = await onTerminal(['user', 'list'], { SVC_DATA: hostile })
  expect(users).toContain('There is no database')
  expect(users).not.toMatch(harmful)
})

it('the ACME hook prints messages of a server in printable ASCII', async () => {
  const message = `${hostile} \\033[2J`
  const url = await json({ success: false, error: 'not_found', message, request_id: 'r' }, 404)
  const script = fileURLToPath(new URL('../../integrations/acme/svc-txt.sh', import.meta.url))
  const raw = await answering((_request, response) => response.writeHead(404).end(`{"message":"${message}"}`))
  for (const SVC_URL of [url, raw]) {
    const child = spawn('sh', [script, 'add', '_acme-challenge.x.example', 'v'], {
      env: { ...process.env, SVC_URL, SVC_TOKEN: 'svc_x' },
    })
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect(stderr).toMatch(/^svc: GET [ -~]+\n$/)
  }
})

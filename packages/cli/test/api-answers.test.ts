import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fileURLToPath } from 'node:url'

// Each command starts a process.
vi.setConfig({ testTimeout: 60_000 })

/** Answers that the real server does not give: large, incomplete, missing, hostile. */
let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function answering(listener: RequestListener): Promise<string> {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${String((started.address() as AddressInfo).port)}`
}

const bin = fileURLToPath(new URL('../bin/svc.js', import.meta.url))
const download = ['api', 'files', 'download', '--id', '7']
async function svc(url: string, args: readonly string[] = download) {
  const child = spawn(process.execPath, [bin, ...args, '--url', url])
  const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

describe('a stream', () => {
  it('goes to stdout byte for byte', async () => {
    const bytes = randomBytes(5_000_000)
    const url = await answering((_request, response) => response.end(bytes))
    const { code, stdout } = await svc(url)
    expect(code).toBe(0)
    expect(stdout.equals(bytes)).toBe(true)
  })

  it('an incomplete stream ends with a message and exit code 1', async () => {
    const url = await answering((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('ab')
      setTimeout(() => response.destroy(), 50)
    })
    const { code, stderr } = await svc(url)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: the answer is incomplete: .+\n$/)
  })

  it('ends without a message if its reader closes the pipe', async () => {
    const url = await answering((_request, response) => response.end(randomBytes(5_000_000)))
    const child = spawn('sh', [
      '-c',
      '"$0" "$@" | head -c 10 | wc -c',
      process.execPath,
      bin,
      ...download,
      '--url',
      url,
    ])
    const said = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(said.map((words) => words.trim())).toEqual(['10', ''])
  })
})

describe('an answer that cannot be used', () => {
  it('an answer after the timeout: one line on stderr and exit code 1', async () => {
    const url = await answering(() => undefined)
    const { code, stderr } = await svc(url, ['api', 'public', 'time', '--timeout', '0.1'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `svc: GET ${url}/v1/public/time: no answer within 0.1 s; --timeout sets a longer time.\n`,
    })
  })

  it('an answer of another server than svc: one line on stderr and exit code 1', async () => {
    const url = await answering((_request, response) => response.end('<!doctype html>'))
    const { code, stderr } = await svc(url, ['api', 'public', 'time'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: .+: not an answer of the API: status 200, .+\n$/)
  })
})

it('escapes the message of a server for the terminal', async () => {
  const envelope = { success: false, error: 'not_found', message: 'no\n\u001b[2Jsuch', request_id: 'req_0' }
  const url = await answering((_request, response) =>
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(envelope)),
  )
  const { stderr } = await svc(url, ['api', 'public', 'time'])
  expect(stderr).toBe('not_found: no\\u{a}\\u{1b}[2Jsuch (req_0)\n')
})

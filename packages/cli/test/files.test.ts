import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { tcpProxy } from '../../../e2e/hostile/tcp-proxy.js'
import { ensure } from '../../../test/servers/index.js'
import { startApp, type TestApp } from '../../server/test/app.js'
import { startGateway, type Gateway } from '../../server/test/gateway.js'
import { emptyPlace, start, svc as run, svcServe, type Place } from './svc.js'

/** Large files through the command line and the real server, on bad lines. */

// Each command starts a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const mebibyte = 2 ** 20
const bin = fileURLToPath(new URL('../bin/svc.js', import.meta.url))

let server: TestApp
let token: string
beforeAll(async () => {
  server = await startApp()
  token = await server.token(await server.account('ada@example.com'), 'files:write')
})
afterAll(() => server.stop())

/** Counts and disturbs the requests of a test. */
let gateway: Gateway
let place: Place & AsyncDisposable
beforeEach(async () => {
  gateway = await startGateway(server.url)
  place = await emptyPlace()
})
afterEach(async () => {
  await gateway.close()
  await place[Symbol.asyncDispose]()
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The environment of a command. Records of uploads are in a folder of the test. */
const env = (url = gateway.url) => ({ SVC_URL: url, SVC_TOKEN: token, XDG_STATE_HOME: join(place.cwd, 'state') })

const svc = (args: readonly string[], { url, stdin }: { url?: string; stdin?: Uint8Array } = {}) =>
  run(['api', 'files', ...args], { cwd: place.cwd, env: env(url) }, stdin)

/** Starts a command that is killed or disturbed. */
const begin = (args: readonly string[], url?: string) =>
  start(['api', 'files', ...args], { cwd: place.cwd, env: env(url) })

async function newFile(name: string, size: number): Promise<Buffer> {
  const bytes = randomBytes(size)
  await writeFile(join(place.cwd, name), bytes)
  return bytes
}

/** The indexes of the parts that were sent since the last call, in their order. */
function sentParts(): number[] {
  const sent = gateway.requests.splice(0).flatMap((line) => /upload-chunk\?.*\bindex=(\d+)/.exec(line)?.[1] ?? [])
  return sent.map(Number)
}

const records = async () => {
  const names = await readdir(join(place.cwd, 'state', 'svc', 'uploads')).catch(() => [])
  return names.map((name) => join(place.cwd, 'state', 'svc', 'uploads', name))
}

/** The bytes of a file on the server. */
async function stored(id: number): Promise<Buffer> {
  const response = await fetch(`${server.url}/v1/files/download?id=${id}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return Buffer.from(await response.arrayBuffer())
}

describe('an upload', () => {
  it.each([0, 1, 8 * mebibyte, 20 * mebibyte + 1])('of %i bytes stores them, and prints the file', async (size) => {
    const bytes = await newFile('data.bin', size)
    const { code, stdout, stderr } = await svc(['upload', 'data.bin', '--media-type', 'text/plain', '--shared'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^[\d.]+ \w+ sent in \d+\.\d s \(.+\/s\)\n$/)
    const file = JSON.parse(stdout)
    expect(file).toMatchObject({
      ...{ name: 'data.bin', size, sha256: sha256(bytes), media_type: 'text/plain', shared: true },
    })
    expect((await stored(file.id)).equals(bytes)).toBe(true)
    expect(await records()).toEqual([])
  })

  it('takes its name from --name, and prints the envelope with --raw', async () => {
    await newFile('data.bin', 5)
    const { stdout } = await svc(['upload', 'data.bin', '--name', 'other.txt', '--raw'])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { name: 'other.txt', media_type: 'text/plain' } })
  })

  it('still takes base64', async () => {
    const { stdout } = await svc(['upload', '--name', 'a.txt', '--content', 'aGVsbG8='])
    expect(JSON.parse(stdout)).toMatchObject({ name: 'a.txt', size: 5 })
  })

  it('of one part sends a file as it is', async () => {
    const bytes = await newFile('part.bin', 100_000)
    const { stdout } = await svc(['upload-chunk', 'part.bin', '--index', '0'])
    const { upload_id: id } = JSON.parse(stdout)
    expect(JSON.parse(stdout)).toEqual({ upload_id: id, index: 0, size: 100_000, received: [0] })
    const finished = await svc(['upload-finalize', '--upload-id', String(id), '--name', 'part.bin', '--parts', '1'])
    expect(JSON.parse(finished.stdout)).toMatchObject({ sha256: sha256(bytes) })
  })

  it('shows its form and an example', async () => {
    const { stdout } = await svc(['upload', '--help'])
    expect(stdout).toMatch(/^Usage: svc api files upload FILE \[flags\]\n/)
    expect(stdout).toContain('\n  svc api files upload notes.txt --media-type text/plain --shared\n')
  })
})

describe('a pipe', () => {
  it.each([0, 5, 40 * mebibyte])('of %i bytes goes in and out', async (size) => {
    const bytes = randomBytes(size)
    const uploaded = await svc(['upload', '-', '--name', 'piped.bin'], { stdin: bytes })
    expect(uploaded).toMatchObject({ code: 0, stderr: expect.stringContaining(' sent in ') })
    const { id, sha256: hash } = JSON.parse(uploaded.stdout)
    expect(hash).toBe(sha256(bytes))
    const child = begin(['download', '--id', String(id)], server.url)
    const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr)])
    expect(stdout.equals(bytes)).toBe(true)
    expect(stderr).toBe('')
  })

  it('repairs a break of the connection', async () => {
    const bytes = randomBytes(20 * mebibyte)
    gateway.behaviour = 'disconnect'
    const uploading = svc(['upload', '-', '--name', 'piped.bin'], { stdin: bytes })
    await vi.waitFor(() => expect(gateway.requests).toHaveLength(1), { timeout: 20_000 })
    await sleep(500)
    gateway.behaviour = 'pass'
    const { code, stdout, stderr } = await uploading
    expect(stderr).toMatch(/^svc: .+; trying again in 1 s\n/)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ sha256: sha256(bytes) })
  })

  it('of a shell connects upload and jq-like readers', async () => {
    await newFile('data.bin', 3 * mebibyte)
    const line = `cat data.bin | "$0" "$1" api files upload - --name x.bin | "$0" -e 'console.log(JSON.parse(require("fs").readFileSync(0)).size)'`
    const child = spawn('sh', ['-c', line, process.execPath, bin], {
      cwd: place.cwd,
      env: { ...process.env, ...env() },
    })
    expect(await text(child.stdout)).toBe(`${3 * mebibyte}\n`)
  })
})

describe('a run that ends early', () => {
  it('by SIGKILL: the next one sends only the missing parts', async () => {
    const bytes = await newFile('big.bin', 100 * mebibyte)
    const child = begin(['upload', 'big.bin'])
    await vi.waitFor(() => expect(gateway.requests.length).toBeGreaterThan(6), { timeout: 20_000, interval: 5 })
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(sentParts().length).toBeLessThan(13)
    expect((await stat((await records())[0]!)).mode & 0o777).toBe(0o600)
    // The server may still be storing the last parts.
    await sleep(500)

    const [record] = await Promise.all((await records()).map(async (file) => JSON.parse(await readFile(file, 'utf8'))))
    const { code, stdout, stderr } = await svc(['upload', 'big.bin'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/ MiB sent in .+; .+ MiB were sent earlier\n$/)
    expect(JSON.parse(stdout)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) })
    const resent = sentParts()
    expect(resent[0]).toBe(record.next)
    expect(resent.length).toBeLessThanOrEqual(13 - record.next)
    expect(new Set(resent).size).toBe(resent.length)
    expect(await records()).toEqual([])
  })

  it('by SIGINT: says how to continue', async () => {
    await newFile('big.bin', 40 * mebibyte)
    gateway.behaviour = { delayMs: 300 }
    const child = begin(['upload', 'big.bin'])
    const stderr = text(child.stderr)
    await vi.waitFor(async () => expect(await records()).toHaveLength(1), { timeout: 20_000 })
    child.kill('SIGINT')
    await once(child, 'close')
    expect(child.signalCode).toBe('SIGINT')
    expect(await stderr).toBe('svc: the sent parts are kept for a day: run the same command again to continue\n')
  })

  it('after the last part: the next one gets the same file', async () => {
    await newFile('big.bin', 9 * mebibyte)
    const child = begin(['upload', 'big.bin'])
    await vi.waitFor(() => expect(gateway.requests).toHaveLength(2), { timeout: 20_000, interval: 5 })
    // The answer to finalize is lost.
    gateway.behaviour = 'disconnect'
    await vi.waitFor(() => expect(gateway.requests.length).toBeGreaterThan(2), { timeout: 20_000, interval: 5 })
    await sleep(500)
    child.kill('SIGKILL')
    await once(child, 'close')
    gateway.behaviour = 'pass'
    const before = JSON.parse((await svc(['list'])).stdout)
    sentParts()
    const { stdout } = await svc(['upload', 'big.bin'])
    expect(sentParts()).toEqual([])
    expect(JSON.parse(stdout).id).toBe(before.files[0].id)
    expect(JSON.parse((await svc(['list'])).stdout).total).toBe(before.total)
  })

  it('of a file that changes: the next one sends all of it', async () => {
    await interrupted('big.bin')
    const bytes = await newFile('big.bin', 20 * mebibyte)
    const { stdout, stderr } = await svc(['upload', 'big.bin'])
    expect(stderr).toMatch(/^svc: the file has changed since its unfinished upload: all parts are sent again\n/)
    expect(JSON.parse(stdout)).toMatchObject({ sha256: sha256(bytes) })
    expect(sentParts().toSorted()).toEqual([0, 1, 2])
  })

  it('whose upload the server has deleted: the next one sends all of it', async () => {
    await interrupted('big.bin')
    const [file] = await records()
    await writeFile(file!, (await readFile(file!, 'utf8')).replace(/"upload_id":\d+/, '"upload_id":999999'))
    const { code, stderr } = await svc(['upload', 'big.bin'])
    expect(stderr).toMatch(/^svc: the server no longer has the unfinished upload: all parts are sent again\n/)
    expect(code).toBe(0)
    expect(new Set(sentParts())).toEqual(new Set([0, 1, 2]))
  })

  it('with a damaged record: the next one sends all of it', async () => {
    await interrupted('big.bin')
    for (const file of await records()) await writeFile(file, '{"upload_id":')
    expect((await svc(['upload', 'big.bin'])).code).toBe(0)
    expect(sentParts().toSorted()).toEqual([0, 1, 2])
  })

  it('with other contents at the same time and length: the upload fails, and the next one sends all of it', async () => {
    await interrupted('big.bin')
    const { atime, mtime } = await stat(join(place.cwd, 'big.bin'))
    const bytes = await newFile('big.bin', 20 * mebibyte)
    await utimes(join(place.cwd, 'big.bin'), atime, mtime)
    const failed = await svc(['upload', 'big.bin'])
    // File systems that keep nanoseconds show the change already.
    if (failed.code === 1) expect(failed.stderr).toMatch(/^bad_request: sha256 is /m)
    const { stdout } = failed.code === 1 ? await svc(['upload', 'big.bin']) : failed
    expect(JSON.parse(stdout)).toMatchObject({ sha256: sha256(bytes) })
  })

  /** Kills an upload of three parts before it is complete. */
  async function interrupted(name: string): Promise<void> {
    await newFile(name, 20 * mebibyte)
    gateway.behaviour = { delayMs: 300 }
    const child = begin(['upload', name])
    await vi.waitFor(async () => expect(await records()).toHaveLength(1), { timeout: 20_000 })
    child.kill('SIGKILL')
    await once(child, 'close')
    gateway.behaviour = 'pass'
    await sleep(300)
    sentParts()
  }
})

describe('a bad line', () => {
  it('that resets connections at random points delays an upload of 100 MiB', async () => {
    const bytes = await newFile('big.bin', 100 * mebibyte)
    await using proxy = await tcpProxy(Number(new URL(server.url).port))
    const child = begin(['upload', 'big.bin'], `http://127.0.0.1:${proxy.port}`)
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    for (let resets = 0; resets < 6; resets++) {
      await sleep(400 + Math.random() * 400)
      proxy.reset(() => Math.random() < 0.7)
    }
    const [stdout, stderr] = await said
    expect(stderr).toContain('; trying again in 1 s\n')
    expect(child.exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) })
  })

  it('that resets connections at random points delays a download of 100 MiB', async () => {
    const bytes = await newFile('big.bin', 100 * mebibyte)
    const { id } = JSON.parse((await svc(['upload', 'big.bin'])).stdout)
    await using proxy = await tcpProxy(Number(new URL(server.url).port))
    const child = begin(['download', '--id', String(id), '-o', 'copy.bin'], `http://127.0.0.1:${proxy.port}`)
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    for (let resets = 0; resets < 4; resets++) {
      await sleep(300 + Math.random() * 300)
      proxy.reset(() => true)
    }
    const [stdout] = await said
    expect({ code: child.exitCode, stdout }).toEqual({ code: 0, stdout: '' })
    expect(sha256(await readFile(join(place.cwd, 'copy.bin')))).toBe(sha256(bytes))
  })

  it('502 of a proxy while the server is away delays an upload', async () => {
    await newFile('big.bin', 20 * mebibyte)
    gateway.behaviour = { status: 502, body: '<h1>Bad Gateway</h1>' }
    const uploading = svc(['upload', 'big.bin'])
    await vi.waitFor(() => expect(gateway.requests.length).toBeGreaterThan(0), { timeout: 20_000 })
    gateway.behaviour = 'pass'
    const { code, stderr } = await uploading
    expect(stderr).toMatch(/^svc: .+status 502, application\/json; trying again in 1 s\n/)
    expect(code).toBe(0)
  })

  it('a restart of the server delays an upload', async () => {
    const bytes = await newFile('big.bin', 100 * mebibyte)
    const site = { cwd: place.cwd, env: { SVC_DATA: join(place.cwd, 'data') } }
    const account = ['ada@example.com', '--password-stdin']
    await run(['user', 'add', ...account], site, 'a long password\n')
    const made = await run(['token', 'create', 'ada@example.com', '--scope', 'files:write'], site)
    const own = { ...env(), SVC_TOKEN: made.stdout.trim() }
    let child
    let said
    const port = await (async () => {
      await using first = await svcServe(site)
      child = start(['api', 'files', 'upload', 'big.bin'], {
        cwd: place.cwd,
        env: { ...own, SVC_URL: first.url },
      })
      said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
      await vi.waitFor(() => expect(first.log.filter(isPart).length).toBeGreaterThan(3), {
        timeout: 20_000,
        interval: 5,
      })
      // The end of the block kills the server.
      return new URL(first.url).port
    })()
    await sleep(500)
    await using _second = await svcServe(site, '--port', port)
    const [stdout, stderr] = await said
    expect(stderr).toContain('; trying again in ')
    expect(child.exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) })
  })

  const isPart = ({ operation }: Record<string, unknown>) => operation === 'files.uploadChunk'
})

describe('an error ends the command at once', () => {
  it('400 at the end keeps the parts for a corrected command', async () => {
    await newFile('big.bin', 20 * mebibyte)
    const failed = await svc(['upload', 'big.bin', '--name', 'a/b'])
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('svc: the sent parts are kept for a day: run the same command again to continue\n')
    expect(failed.stderr).toMatch(/^bad_request: name .+ \(req_[0-9a-f]{16}\)$/m)
    sentParts()
    const { code, stdout } = await svc(['upload', 'big.bin', '--name', 'a-b'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'a-b', size: 20 * mebibyte })
    expect(sentParts()).toEqual([])
  })

  it('401 for an invalid token, after one request', async () => {
    await newFile('big.bin', 20 * mebibyte)
    const { code, stdout, stderr } = await svc(['upload', 'big.bin', '--token', `svc_${'0'.repeat(32)}`])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^unauthorized: .+\n$/)
    expect(sentParts()).toEqual([0])
  })

  it('an address without a server', async () => {
    await newFile('big.bin', 5)
    const { code, stderr } = await svc(['upload', 'big.bin'], { url: 'http://127.0.0.1:1' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: POST http:\/\/127\.0\.0\.1:1\/v1\/files\/upload-chunk: .+\n$/)
  })

  it.each([
    [['upload', 'absent.bin'], 'svc: absent.bin cannot be read: ENOENT'],
    [['upload', '.'], 'svc: . is a folder: give a file.'],
    [['upload', '-'], 'svc: missing --name: the input has no name.'],
    [['upload'], 'error: missing --name, --content'],
    [['upload', 'x', '--content', 'aGVsbG8='], 'error: --content and a file cannot be combined'],
    [['upload', 'x', 'y'], 'error: too many arguments'],
    [['list', 'x'], 'error: too many arguments'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stdout, stderr } = await svc(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(gateway.requests).toEqual([])
  })

  it('a folder for records that cannot be used is a note only', async () => {
    await newFile('big.bin', 5)
    await writeFile(join(place.cwd, 'state'), 'a file')
    const { code, stderr } = await svc(['upload', 'big.bin'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^svc: .+; if this run is interrupted, the next one sends all parts again\n/)
  })
})

it('a terminal shows a bar on stderr, and only JSON on stdout', async () => {
  ensure('script')
  await newFile('big.bin', 20 * mebibyte)
  const command = `'${process.execPath}' '${bin}' api files upload big.bin > out.json`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: place.cwd,
    env: { ...process.env, ...env() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [shown] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(shown).toContain('######################## 100% | 20.0 MiB of 20.0 MiB | ')
  expect(JSON.parse(await readFile(join(place.cwd, 'out.json'), 'utf8'))).toMatchObject({ size: 20 * mebibyte })
})

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ensure } from '../../../test/servers/index.js'
import { startGateway } from '../../server/test/gateway.js'
import { Client, mebibyte, sha256, startFileServer, type FileServer } from './file-client.js'
import { bin } from './svc.js'

/** Files and pipes through the command line and the real server. */

// Each command starts a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const lostAnswer =
  'svc: an answer was lost: the server may keep another unfinished upload for a day; svc api files upload-list shows it, upload-discard removes it\n'

let server: FileServer
beforeAll(async () => {
  server = await startFileServer()
})
afterAll(() => server.stop())

let client: Client
beforeEach(async () => {
  client = await Client.to(server)
})
afterEach(() => client[Symbol.asyncDispose]())

describe('an upload', () => {
  it.each([0, 1, 8 * mebibyte, 20 * mebibyte + 1])(
    'an upload of %i bytes stores them, and prints the file',
    async (size) => {
      const bytes = await client.newFile('data.bin', size)
      const { code, stdout, stderr } = await client.run([
        'upload',
        'data.bin',
        '--media-type',
        'text/plain',
        '--shared',
      ])
      expect(code).toBe(0)
      expect(stderr).toMatch(/^[\d.]+ \w+ sent in \d+\.\d s \(.+\/s\)\n$/)
      const file = JSON.parse(stdout)
      expect(file).toMatchObject({
        name: 'data.bin',
        size,
        sha256: sha256(bytes),
        media_type: 'text/plain',
        shared: true,
      })
      expect((await server.stored(file.id)).equals(bytes)).toBe(true)
      expect(await client.records()).toEqual([])
    },
  )

  it('takes its name from --name, and prints the envelope with --raw', async () => {
    await client.newFile('data.bin', 5)
    const { stdout } = await client.run(['upload', 'data.bin', '--name', 'other.txt', '--raw'])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { name: 'other.txt', media_type: 'text/plain' } })
  })

  it('still takes base64', async () => {
    const { stdout } = await client.run(['upload', '--name', 'a.txt', '--content', 'aGVsbG8='])
    expect(JSON.parse(stdout)).toMatchObject({ name: 'a.txt', size: 5 })
  })

  it('an upload of one part sends the file as it is', async () => {
    const bytes = await client.newFile('part.bin', 100_000)
    const { stdout } = await client.run(['upload-chunk', 'part.bin', '--index', '0'])
    const { upload_id: id } = JSON.parse(stdout)
    expect(JSON.parse(stdout)).toEqual({ upload_id: id, index: 0, size: 100_000, received: [0] })
    const finished = await client.run([
      'upload-finalize',
      '--upload-id',
      String(id),
      '--name',
      'part.bin',
      '--parts',
      '1',
    ])
    expect(JSON.parse(finished.stdout)).toMatchObject({ sha256: sha256(bytes) })
  })

  it('the help of an upload shows its form and an example', async () => {
    const { stdout } = await client.run(['upload', '--help'])
    expect(stdout).toMatch(/^Usage: svc api files upload FILE \[flags\]\n/)
    expect(stdout).toContain('\n  svc api files upload notes.txt --media-type text/plain --shared\n')
  })
})

describe('a pipe', () => {
  it.each([0, 5, 40 * mebibyte])('a pipe of %i bytes goes in and out', async (size) => {
    const bytes = randomBytes(size)
    const uploaded = await client.run(['upload', '-', '--name', 'piped.bin'], { stdin: bytes })
    expect(uploaded).toMatchObject({ code: 0, stderr: expect.stringContaining(' sent in ') })
    const { id, sha256: hash } = JSON.parse(uploaded.stdout)
    expect(hash).toBe(sha256(bytes))
    const child = client.begin(['download', '--id', String(id)], server.url)
    const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr)])
    expect(stdout.equals(bytes)).toBe(true)
    expect(stderr).toBe('')
  })

  it('repairs a break of the connection', async () => {
    const bytes = randomBytes(20 * mebibyte)
    client.gateway.behaviour = 'disconnect'
    const uploading = client.run(['upload', '-', '--name', 'piped.bin'], { stdin: bytes })
    await vi.waitFor(() => expect(client.gateway.requests).toHaveLength(1), { timeout: 20_000 })
    await sleep(500)
    client.gateway.behaviour = 'pass'
    const { code, stdout, stderr } = await uploading
    expect(stderr).toMatch(/^svc: .+; trying again in 1 s\n/)
    expect(stderr).toContain(lostAnswer)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ sha256: sha256(bytes) })
  })

  it('a pipe of a shell connects upload and jq-like readers', async () => {
    await client.newFile('data.bin', 3 * mebibyte)
    const line = `cat data.bin | "$0" "$1" api files upload - --name x.bin | "$0" -e 'console.log(JSON.parse(require("fs").readFileSync(0)).size)'`
    const child = spawn('sh', ['-c', line, process.execPath, bin], {
      cwd: client.cwd,
      env: { ...process.env, ...client.env() },
    })
    expect(await text(child.stdout)).toBe(`${3 * mebibyte}\n`)
  })
})

describe('an error ends the command at once', () => {
  it('400 at the end keeps the parts for a corrected command', async () => {
    await client.newFile('big.bin', 20 * mebibyte)
    client.gateway.behaviour = { delayMs: 300 }
    const failing = client.run(['upload', 'big.bin'])
    await vi.waitFor(() => expect(client.gateway.requests).toHaveLength(3), { timeout: 20_000, interval: 5 })
    const refused = { success: false, error: 'bad_request', message: 'name x.', request_id: 'req_0123456789abcdef' }
    client.gateway.behaviour = { status: 400, body: JSON.stringify(refused) }
    const failed = await failing
    client.gateway.behaviour = 'pass'
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('svc: the sent parts are kept for a day: run the same command again to continue\n')
    expect(failed.stderr).toMatch(/^bad_request: name .+ \(req_[0-9a-f]{16}\)$/m)
    client.sentParts()
    const { code, stdout } = await client.run(['upload', 'big.bin', '--name', 'a-b'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'a-b', size: 20 * mebibyte })
    expect(client.sentParts()).toEqual([])
  })

  it.each([
    ['a/b', [], 'svc: --name must not contain slashes or backslashes: files have no folders.\n'],
    ['a\u001b[2J\n', [], 'svc: --name must not contain control characters or invisible format characters.\n'],
    ['b.txt', ['--media-type', 'text'], 'svc: --media-type must be a media type, such as text/plain.\n'],
  ])('the details %j %j are refused before the first byte is sent', async (name, more, message) => {
    await client.newFile('big.bin', 5)
    for (const source of ['big.bin', '-'])
      expect(await client.run(['upload', source, '--name', name, ...more])).toEqual({
        code: 2,
        stdout: '',
        stderr: message,
      })
    expect(client.gateway.requests).toEqual([])
  })

  it('the name of a file is refused before the first byte is sent, and --name replaces it', async () => {
    await client.newFile('con.txt', 5)
    expect(await client.run(['upload', 'con.txt'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'svc: The name of con.txt must not be a Windows device name (CON, NUL, COM1), with or without an extension: ' +
        '_CON.txt is accepted. Give another one with --name.\n',
    })
    expect(client.gateway.requests).toEqual([])
    expect((await client.run(['upload', 'con.txt', '--name', 'a.txt'])).code).toBe(0)
  })

  it.each([
    [
      { fileBytesMax: mebibyte },
      'size results in a file of 20.9 MB (20971520 bytes); the limit is 1 MB (1048576 bytes).',
    ],
    [
      { bytesMax: mebibyte },
      'size needs 20.9 MB (20971520 bytes), but the account uses 0 bytes of 1 MB (1048576 bytes)',
    ],
  ])('a file beyond the limit %j of the server is refused at its first part', async (limit, message) => {
    await client.newFile('big.bin', 20 * mebibyte)
    const small = await startFileServer(limit)
    await using other = await Client.to(small)
    const { code, stdout, stderr } = await other.run(['upload', join(client.cwd, 'big.bin')], small)
    await small.stop()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^bad_request: .+ \(req_[0-9a-f]{16}\)\n$/)
    expect(stderr).toContain(message)
    expect(small.refusedParts()).toBe(1)
    expect(await other.records()).toEqual([])
  })

  it('401 for an invalid token, after one request', async () => {
    await client.newFile('big.bin', 20 * mebibyte)
    const { code, stdout, stderr } = await client.run(['upload', 'big.bin', '--token', `svc_${'0'.repeat(32)}`])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^unauthorized: .+\n$/)
    expect(client.sentParts()).toEqual([0])
  })

  it('an address without a server ends with exit code 1 and says what to do', async () => {
    await client.newFile('big.bin', 5)
    const closed = await startGateway(server.url)
    await closed.close()
    // fetch refuses port 1.
    for (const [url, problem] of [
      [closed.url, `Nothing listens at ${closed.url}: is svc serve running there?`],
      ['http://127.0.0.1:1', 'Port 1 is blocked for HTTP: let svc serve use another one, such as 8080.'],
    ] as const) {
      const { code, stderr } = await client.run(['upload', 'big.bin'], { url })
      expect(code).toBe(1)
      expect(stderr.split('\n')).toEqual([expect.stringContaining(`svc: ${problem}`), ''])
    }
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
    const { code, stdout, stderr } = await client.run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(client.gateway.requests).toEqual([])
  })

  it('a folder for records that cannot be used is a note only', async () => {
    await client.newFile('big.bin', 5)
    await writeFile(join(client.cwd, 'state'), 'a file')
    const { code, stderr } = await client.run(['upload', 'big.bin'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^svc: .+; if this run is interrupted, the next one sends all parts again\n/)
  })
})

it('a terminal shows a bar on stderr, and only JSON on stdout', async () => {
  ensure('script')
  await client.newFile('big.bin', 20 * mebibyte)
  const command = `'${process.execPath}' '${bin}' api files upload big.bin > out.json`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: client.cwd,
    env: { ...process.env, ...client.env() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [shown] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(shown).toContain('######################## 100% | 20.0 MiB of 20.0 MiB | ')
  expect(JSON.parse(await readFile(join(client.cwd, 'out.json'), 'utf8'))).toMatchObject({ size: 20 * mebibyte })
})

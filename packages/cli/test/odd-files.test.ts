import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Client, sha256, startFileServer, type FileServer } from './file-client.js'
import { bin } from './svc.js'

/** Transfers from and to files that are not plain files. */

// Each command starts a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

let server: FileServer
let client: Client
let bytes: Buffer
let id: number
beforeAll(async () => {
  server = await startFileServer()
  client = await Client.to(server)
  bytes = await client.newFile('data.bin', 100_000)
  id = JSON.parse((await client.run(['upload', 'data.bin'])).stdout).id
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await server.stop()
})

/** Runs a command line of a shell, in which `svc` is the command. */
async function shell(line: string) {
  const child = spawn('sh', ['-c', `svc() { '${process.execPath}' '${bin}' api files "$@"; }; ${line}`], {
    cwd: client.cwd,
    env: { ...process.env, ...client.env() },
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

describe('a full disk', () => {
  it.each([
    ['upload data.bin', 'stdout'],
    ['list', 'stdout'],
    ['download --id 1', 'stdout'],
    ['download --id 1 -o /dev/full', '/dev/full'],
  ])('svc %s > /dev/full is an error in one line', async (args, what) => {
    const { code, stderr } = await shell(`svc ${args.replace('1', String(id))} > /dev/full`)
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^(.+ sent in .+\n)?svc: ${what} cannot be written: ENOSPC: .+\n$`))
  })
})

it('a reader that leaves early ends the download without an error', async () => {
  expect(await shell(`svc download --id ${id} | head -c 1000 | wc -c`)).toEqual({
    code: 0,
    stdout: '1000\n',
    stderr: '',
  })
})

describe('an upload', () => {
  it('an upload of a named pipe needs a name', async () => {
    execFileSync('mkfifo', [join(client.cwd, 'pipe')])
    const unnamed = await shell('cat data.bin > pipe & svc upload pipe')
    expect(unnamed).toMatchObject({ code: 2, stderr: 'svc: missing --name: the input has no name.\n' })
    const { code, stdout } = await shell('cat data.bin > pipe & svc upload pipe --name a.bin')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'a.bin', size: bytes.length, sha256: sha256(bytes) })
  })

  it('an upload of a file of /proc, whose size is 0, has all bytes', async () => {
    const { stdout } = await shell('svc upload /proc/version --name version')
    const content = await readFile('/proc/version')
    expect(JSON.parse(stdout)).toMatchObject({ size: content.length, sha256: sha256(content) })
  })

  it.each([
    ['svc upload - --name a < /', 2, 'svc: stdin is a folder: give a file.\n'],
    ['svc upload /proc/self/mem --name a', 1, 'svc: /proc/self/mem cannot be read: EIO: i/o error, read\n'],
  ])('%s is an error in one line', async (line, code, stderr) => {
    expect(await shell(line)).toEqual({ code, stdout: '', stderr })
  })

  it('an upload of a file whose name has control characters shows them escaped', async () => {
    await writeFile(join(client.cwd, 'a\u001b[2J.txt'), 'x')
    const { code, stderr } = await client.run(['upload', 'a\u001b[2J.txt'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'svc: The name of a\\u{1b}[2J.txt must not contain control characters or invisible format characters. Give another one with --name.\n',
    })
  })
})

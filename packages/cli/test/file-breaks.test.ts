import { once } from 'node:events'
import { appendFile, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { tcpProxy } from '../../../e2e/hostile/tcp-proxy.js'
import { Client, mebibyte, sha256, startFileServer, type FileServer } from './file-client.js'
import { start, svc as run, svcServe } from './svc.js'

/** Large files through the command line and the real server: killed commands, bad lines, restarts. */

// Each command starts a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

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

describe('a run that ends early', () => {
  it('the run after SIGKILL sends only the missing parts', async () => {
    const bytes = await client.newFile('big.bin', 100 * mebibyte)
    const child = client.begin(['upload', 'big.bin'])
    await vi.waitFor(() => expect(client.gateway.requests.length).toBeGreaterThan(6), { timeout: 20_000, interval: 5 })
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(client.sentParts().length).toBeLessThan(13)
    expect((await stat((await client.records())[0]!)).mode & 0o777).toBe(0o600)
    // The server may still be storing the last parts.
    await sleep(500)

    const [record] = await Promise.all(
      (await client.records()).map(async (file) => JSON.parse(await readFile(file, 'utf8'))),
    )
    const { code, stdout, stderr } = await client.run(['upload', 'big.bin'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/ MiB sent in .+; .+ MiB were sent earlier\n$/)
    expect(JSON.parse(stdout)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) })
    const resent = client.sentParts()
    expect(resent[0]).toBe(record.next)
    expect(resent.length).toBeLessThanOrEqual(13 - record.next)
    expect(new Set(resent).size).toBe(resent.length)
    expect(await client.records()).toEqual([])
  })

  it('a run that SIGINT ends says how to continue', async () => {
    await client.newFile('big.bin', 40 * mebibyte)
    client.gateway.behaviour = { delayMs: 300 }
    const child = client.begin(['upload', 'big.bin'])
    const stderr = text(child.stderr)
    await vi.waitFor(async () => expect(await client.records()).toHaveLength(1), { timeout: 20_000 })
    child.kill('SIGINT')
    await once(child, 'close')
    expect(child.signalCode).toBe('SIGINT')
    expect(await stderr).toBe('svc: the sent parts are kept for a day: run the same command again to continue\n')
  })

  it('the run after one that ended after the last part gets the same file', async () => {
    await client.newFile('big.bin', 9 * mebibyte)
    const child = client.begin(['upload', 'big.bin'])
    await vi.waitFor(() => expect(client.gateway.requests).toHaveLength(2), { timeout: 20_000, interval: 5 })
    // The answer to finalize is lost.
    client.gateway.behaviour = 'disconnect'
    await vi.waitFor(() => expect(client.gateway.requests.length).toBeGreaterThan(2), { timeout: 20_000, interval: 5 })
    await sleep(500)
    child.kill('SIGKILL')
    await once(child, 'close')
    client.gateway.behaviour = 'pass'
    const before = JSON.parse((await client.run(['list'])).stdout)
    client.sentParts()
    const { stdout } = await client.run(['upload', 'big.bin'])
    expect(client.sentParts()).toEqual([])
    expect(JSON.parse(stdout).id).toBe(before.files[0].id)
    expect(JSON.parse((await client.run(['list'])).stdout).total).toBe(before.total)
  })

  it('the next run sends all of a file that changes', async () => {
    await interrupted('big.bin')
    const bytes = await client.newFile('big.bin', 17 * mebibyte)
    const { stdout, stderr } = await client.run(['upload', 'big.bin'])
    expect(stderr).toMatch(/^svc: the file has changed since its unfinished upload: all parts are sent again\n/)
    expect(JSON.parse(stdout)).toMatchObject({ sha256: sha256(bytes) })
    expect(client.sentParts().toSorted()).toEqual([0, 1, 2])
  })

  it('the next run sends all of a file whose upload the server has deleted', async () => {
    await interrupted('big.bin')
    const [file] = await client.records()
    await writeFile(file!, (await readFile(file!, 'utf8')).replace(/"upload_id":\d+/, '"upload_id":999999'))
    const { code, stderr } = await client.run(['upload', 'big.bin'])
    expect(stderr).toMatch(/^svc: the server no longer has the unfinished upload: all parts are sent again\n/)
    expect(code).toBe(0)
    expect(new Set(client.sentParts())).toEqual(new Set([0, 1, 2]))
  })

  it('the next run sends all of a file whose record is damaged', async () => {
    await interrupted('big.bin')
    for (const file of await client.records()) await writeFile(file, '{"upload_id":')
    expect((await client.run(['upload', 'big.bin'])).code).toBe(0)
    expect(client.sentParts().toSorted()).toEqual([0, 1, 2])
  })

  it('the upload fails for other contents at the same time and length, and the next run sends all of the file', async () => {
    await interrupted('big.bin')
    const { atime, mtime } = await stat(join(client.cwd, 'big.bin'))
    const bytes = await client.newFile('big.bin', 17 * mebibyte)
    await utimes(join(client.cwd, 'big.bin'), atime, mtime)
    const failed = await client.run(['upload', 'big.bin'])
    // File systems that keep nanoseconds show the change already.
    if (failed.code === 1) expect(failed.stderr).toMatch(/^bad_request: sha256 is /m)
    const { stdout } = failed.code === 1 ? await client.run(['upload', 'big.bin']) : failed
    expect(JSON.parse(stdout)).toMatchObject({ sha256: sha256(bytes) })
  })

  /** Kills an upload of three parts before it is complete. */
  async function interrupted(name: string): Promise<void> {
    await client.newFile(name, 17 * mebibyte)
    client.gateway.behaviour = { delayMs: 300 }
    const child = client.begin(['upload', name])
    await vi.waitFor(async () => expect(await client.records()).toHaveLength(1), { timeout: 20_000 })
    child.kill('SIGKILL')
    await once(child, 'close')
    client.gateway.behaviour = 'pass'
    await sleep(300)
    client.sentParts()
  }
})

it.each([
  ['shrinks', (file: string) => truncate(file, 1_000)],
  ['grows', (file: string) => appendFile(file, 'x')],
])('a file that %s during its upload ends the command, and no file is made', async (_how, change) => {
  await client.newFile('big.bin', 40 * mebibyte)
  client.gateway.behaviour = { delayMs: 300 }
  const uploading = client.run(['upload', 'big.bin'])
  await vi.waitFor(async () => expect(await client.records()).toHaveLength(1), { timeout: 20_000, interval: 5 })
  await change(join(client.cwd, 'big.bin'))
  const { code, stdout, stderr } = await uploading
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^svc: big\.bin was changed while it was read: run the command again\.$/m)
  expect(client.gateway.requests.filter((line) => line.includes('finalize'))).toEqual([])
})

describe('a bad line', () => {
  it('a line that resets connections at random points only delays an upload of 100 MiB', async () => {
    const bytes = await client.newFile('big.bin', 100 * mebibyte)
    await using proxy = await tcpProxy(Number(new URL(server.url).port))
    const before = server.storedParts()
    const child = client.begin(['upload', 'big.bin'], `http://127.0.0.1:${proxy.port}`)
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    await vi.waitFor(() => expect(server.storedParts()).toBeGreaterThan(before + 1), { timeout: 20_000, interval: 5 })
    proxy.reset(() => true)
    for (let resets = 0; resets < 5; resets++) {
      await sleep(300 + Math.random() * 400)
      proxy.reset(() => Math.random() < 0.7)
    }
    const [stdout, stderr] = await said
    expect(stderr).toContain('; trying again in 1 s\n')
    expect(child.exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) })
  })

  it('a line that resets connections at random points only delays a download of 100 MiB', async () => {
    const bytes = await client.newFile('big.bin', 100 * mebibyte)
    const { id } = JSON.parse((await client.run(['upload', 'big.bin'])).stdout)
    await using proxy = await tcpProxy(Number(new URL(server.url).port))
    const args = ['download', '--id', String(id), '-o', 'copy.bin']
    const child = client.begin(args, `http://127.0.0.1:${proxy.port}`)
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    const hasBegun = async () =>
      expect((await readdir(client.cwd)).some((name) => name.endsWith('.svc-part'))).toBe(true)
    await vi.waitFor(hasBegun, { timeout: 20_000, interval: 2 })
    proxy.reset(() => true)
    for (let resets = 0; resets < 3; resets++) {
      await sleep(1_100 + Math.random() * 100)
      proxy.reset(() => true)
    }
    const [stdout, stderr] = await said
    expect({ code: child.exitCode, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('; trying again in 1 s\n')
    expect(sha256(await readFile(join(client.cwd, 'copy.bin')))).toBe(sha256(bytes))
  })

  it('502 of a proxy while the server is unreachable only delays an upload', async () => {
    await client.newFile('big.bin', 17 * mebibyte)
    client.gateway.behaviour = { status: 502, body: '<h1>Bad Gateway</h1>' }
    const uploading = client.run(['upload', 'big.bin'])
    await vi.waitFor(() => expect(client.gateway.requests.length).toBeGreaterThan(0), { timeout: 20_000 })
    client.gateway.behaviour = 'pass'
    const { code, stderr } = await uploading
    expect(stderr).toMatch(/^svc: .+status 502, application\/json; trying again in 1 s\n/)
    expect(code).toBe(0)
  })

  it('a restart of the server only delays an upload', async () => {
    const bytes = await client.newFile('big.bin', 100 * mebibyte)
    const site = { cwd: client.cwd, env: { SVC_DATA: join(client.cwd, 'data') } }
    const account = ['ada@example.com', '--password-stdin']
    await run(['user', 'add', ...account], site, 'a long password\n')
    const made = await run(['token', 'add', 'ada@example.com', '--name', 'files', '--scope', 'files:write'], site)
    const own = { ...client.env(), SVC_TOKEN: made.stdout.trim() }
    const first = await svcServe(site)
    const child = start(['api', 'files', 'upload', 'big.bin'], { cwd: client.cwd, env: { ...own, SVC_URL: first.url } })
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    await vi.waitFor(() => expect(first.log.filter(isPart).length).toBeGreaterThan(3), { timeout: 20_000, interval: 5 })
    await first[Symbol.asyncDispose]()
    await sleep(500)
    await using _second = await svcServe(site, '--port', new URL(first.url).port)
    const [stdout, stderr] = await said
    expect(stderr).toContain('; trying again in ')
    // Only the first part opens an upload.
    expect(stderr).not.toContain('an answer was lost')
    expect(child.exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) })
  })

  const isPart = ({ operation }: Record<string, unknown>) => operation === 'files.uploadChunk'
})

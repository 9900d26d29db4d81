import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { Client, mebibyte, startFileServer, type FileServer } from './file-client.js'

/** Uploads that cannot succeed leave no parts behind that would count against the limits of the account. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

let server: FileServer
beforeAll(async () => {
  server = await startFileServer({ bytesMax: 64 * mebibyte })
})
afterAll(() => server.stop())

let client: Client
beforeEach(async () => {
  client = await Client.to(server)
})
afterEach(() => client[Symbol.asyncDispose]())

const openUploads = async () =>
  (JSON.parse((await client.run(['upload-list'])).stdout) as { uploads: { upload_id: number }[] }).uploads

it('a file that does not fit is refused at its first part', async () => {
  await client.newFile('big.bin', 65 * mebibyte)
  const { code, stderr } = await client.run(['upload', 'big.bin'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^bad_request: size needs 68.1 MB .+discard open uploads\. \(req_\w+\)\n$/)
  expect(client.sentParts()).toEqual([0])
  expect(await openUploads()).toEqual([])
})

it('a pipe that does not fit is discarded at the part that shows it', async () => {
  const { code, stderr } = await client.run(['upload', '-', '--name', 'a'], { stdin: Buffer.alloc(66 * mebibyte) })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^bad_request: content is too large: .+\n$/)
  expect(client.sentParts()).toEqual([0, 1, 2, 3, 4])
  expect(await openUploads()).toEqual([])
})

it('an interrupted file for which the room is used up meanwhile is discarded by the next run', async () => {
  await client.newFile('big.bin', 40 * mebibyte)
  client.gateway.behaviour = { delayMs: 300 }
  const child = client.begin(['upload', 'big.bin'])
  await vi.waitFor(async () => expect(await client.records()).toHaveLength(1), { timeout: 20_000, interval: 5 })
  child.kill('SIGKILL')
  await once(child, 'close')
  client.gateway.behaviour = 'pass'
  await client.newFile('other.bin', 30 * mebibyte)
  const { stdout } = await client.run(['upload', 'other.bin'])
  const { code, stderr } = await client.run(['upload', 'big.bin'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^bad_request: size needs .+\n$/)
  expect([await openUploads(), await client.records()]).toEqual([[], []])
  await client.run(['delete', '--id', String((JSON.parse(stdout) as { id: number }).id)])
})

it('a file that changes while it is sent is discarded', async () => {
  await client.newFile('big.bin', 40 * mebibyte)
  client.gateway.behaviour = { delayMs: 300 }
  const uploading = client.run(['upload', 'big.bin'])
  await vi.waitFor(async () => expect(await client.records()).toHaveLength(1), { timeout: 20_000, interval: 5 })
  await writeFile(join(client.cwd, 'big.bin'), 'short')
  expect((await uploading).stderr).toMatch(/^svc: big\.bin was changed while it was read/m)
  client.gateway.behaviour = 'pass'
  expect(await openUploads()).toEqual([])
})

it('a pipe that a signal ends is discarded before the command ends', async () => {
  const child = client.begin(['upload', '-', '--name', 'a'])
  const said = text(child.stderr)
  child.stdin.write(Buffer.alloc(17 * mebibyte))
  const uploads = vi.waitFor(
    async () => {
      const listed = await openUploads()
      expect(listed).toHaveLength(1)
      return listed
    },
    { timeout: 20_000 },
  )
  await uploads
  child.kill('SIGINT')
  await once(child, 'close')
  expect([child.signalCode, await said]).toEqual(['SIGINT', ''])
  expect(await openUploads()).toEqual([])
})

it('a discard that fails says which command to type', async () => {
  const child = client.begin(['upload', '-', '--name', 'a'])
  const said = text(child.stderr)
  child.stdin.write(Buffer.alloc(17 * mebibyte))
  await vi.waitFor(async () => expect(await openUploads()).toHaveLength(1), { timeout: 20_000 })
  const [{ upload_id: id } = { upload_id: 0 }] = await openUploads()
  client.gateway.behaviour = { status: 503, body: '' }
  child.kill('SIGINT')
  await once(child, 'close')
  const command = `svc api files upload-discard --upload-id ${id}`
  expect(await said).toBe(`svc: the server keeps the sent parts for a day: ${command} removes them\n`)
  client.gateway.behaviour = 'pass'
  expect((await client.run(command.split(' ').slice(3))).code).toBe(0)
  expect(await openUploads()).toEqual([])
})

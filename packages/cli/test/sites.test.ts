import { once } from 'node:events'
import { createServer } from 'node:net'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Caller } from '@svc/client'
import { startApp, type TestApp } from '../../server/test/app.js'
import { buildZip } from '../../server/test/built-zip.js'
import { siteReadStore } from '../../server/src/areas/sites/sites/read-store.js'
import { deploySite } from '../src/transfer/deploy-site.js'
import { emptyPlace, start, svc, type Place } from './svc.js'

/** Folders and zips through the command line and the real server. */

// Each command starts a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

let server: TestApp
let token: string
let account: Awaited<ReturnType<TestApp['account']>>
let place: Place & AsyncDisposable
beforeAll(async () => {
  server = await startApp('sqlite')
  account = await server.account('ada@example.com')
  token = await server.token(account, 'sites:write')
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await emptyPlace()
  await mkdir(join(place.cwd, 'tmp'))
  await mkdir(join(place.cwd, 'my-site', 'css'), { recursive: true })
  await writeFile(join(place.cwd, 'my-site', 'index.html'), 'Home')
  await writeFile(join(place.cwd, 'my-site', 'css', 'a.css'), 'body {}')
})
afterEach(() => place[Symbol.asyncDispose]())

const env = () => ({ SVC_URL: server.url, SVC_TOKEN: token, TMPDIR: join(place.cwd, 'tmp') })
const deploy = (...args: string[]) => svc(['api', 'sites', 'deploy', ...args], { cwd: place.cwd, env: env() })
const temporaryFiles = () => readdir(join(place.cwd, 'tmp'))
const pathsOf = async (name: string) => {
  const { site } = await siteReadStore(server.app.database, {
    sitesMax: 1,
    siteBytesMax: 0,
    siteFilesMax: 1,
    bytesMax: 0,
  }).versions(account, name)
  return site.files
}

describe('svc api sites deploy', () => {
  it('zips a folder, shows progress, and removes the zip', async () => {
    const { code, stdout, stderr } = await deploy('my-site')
    expect(stderr).toMatch(/^[\d.]+ \w+ sent in \d+\.\d s \(.+\/s\)\n$/)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'my-site', files: 2, size: 11 })
    expect(await temporaryFiles()).toEqual([])
  })

  it('takes a zip, and the name from --name', async () => {
    await writeFile(join(place.cwd, 'site.zip'), buildZip([{ name: 'index.html', data: 'Zip' }]))
    expect(JSON.parse((await deploy('site.zip')).stdout)).toMatchObject({ name: 'site', size: 3 })
    expect(JSON.parse((await deploy('site.zip', '--name', 'other')).stdout)).toMatchObject({ name: 'other', size: 3 })
    expect(JSON.parse((await deploy('.', '--name', 'all')).stdout)).toMatchObject({ name: 'all', files: 3 })
  })

  it('follows links to files of the folder, and names what it skips', async () => {
    const folder = join(place.cwd, 'my-site')
    await writeFile(join(place.cwd, 'secret.txt'), 'secret')
    await symlink('index.html', join(folder, 'home.html'))
    await symlink('../secret.txt', join(folder, 'out.txt'))
    await symlink('css', join(folder, 'styles'))
    await symlink('nowhere', join(folder, 'broken'))
    await mkdir(join(folder, '.git'))
    await writeFile(join(folder, '.env'), 'SECRET=1')
    await mkdir(join(folder, '.well-known'))
    await writeFile(join(folder, '.well-known', 'security.txt'), 'x')
    await writeFile(join(folder, '.git', 'config'), 'x')
    const socket = createServer().listen(join(folder, 'socket'))
    await once(socket, 'listening')
    const { code, stdout, stderr } = await deploy('my-site', '--name', 'links')
    socket.close()
    expect(stderr).toContain(
      'svc: skipped ".env", "broken", "out.txt", "socket", "styles": hidden files, links out of the folder, links to folders and special files are not deployed\n',
    )
    expect([code, JSON.parse(stdout).files]).toEqual([0, 4])
    expect(await pathsOf('links')).toBe(4)
  })

  it.each([
    [['none'], /^svc: none cannot be read: ENOENT/, 2],
    [['my-site', '--archive', 'UEs='], /--archive and a file cannot be combined/, 2],
    [['tmp'], /^svc: tmp has no files\.$/m, 2],
    [['Bad Name'], /^svc: missing --name: a site cannot have the name "Bad Name"/, 2],
    [['broken.zip'], /archive is not a zip/, 1],
  ])('%j is refused', async (args, message, exitCode) => {
    await mkdir(join(place.cwd, 'Bad Name'))
    await writeFile(join(place.cwd, 'broken.zip'), 'PK')
    const { code, stderr } = await deploy(...args)
    expect(stderr).toMatch(message)
    expect(code).toBe(exitCode)
    expect(await temporaryFiles()).toEqual([])
  })

  it('allows for the minute that a deploy may wait, and for the ten that it may take', async () => {
    const deadlines: (number | undefined)[] = []
    const call: Caller = (_operation, _input, options) => {
      deadlines.push(options?.timeoutMs)
      return Promise.reject(new Error('not sent'))
    }
    const given = { path: join(place.cwd, 'my-site'), details: {}, call, timeoutMs: 30_000 }
    await expect(deploySite(given)).rejects.toThrow('not sent')
    expect(deadlines[0]).toBeGreaterThan(11 * 60_000)
  })

  it('a signal while the zip is sent removes it', async () => {
    let arrived: () => void = () => undefined
    const waiting = new Promise<void>((resolve) => (arrived = resolve))
    const silent = createServer((socket) => socket.on('data', arrived).on('error', () => undefined))
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as { port: number }
    const command = start(['api', 'sites', 'deploy', 'my-site'], {
      cwd: place.cwd,
      env: { ...env(), SVC_URL: `http://127.0.0.1:${port}` },
    })
    await waiting
    expect(await temporaryFiles()).toHaveLength(1)
    command.kill('SIGINT')
    await once(command, 'exit')
    expect(await temporaryFiles()).toEqual([])
    silent.close()
  })
})

import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkDirectory, checkFile, makeDirectory, problemOf } from './usable-path.js'

const run = promisify(execFile)
const role = { name: 'The directory', otherwise: 'set SVC_DATA to another place' }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-paths-'))
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'file'), '')
  await symlink('/nowhere/at-all', join(folder, 'dangling'))
  await symlink('loop', join(folder, 'loop'))
  await mkdir(join(folder, 'locked'), { mode: 0o700 })
  await writeFile(join(folder, 'secret'), '', { mode: 0o600 })
})
afterAll(() => rm(folder, { recursive: true }))

const absolute = (path: string) => (path.startsWith('/') ? path : join(folder, path))

describe('a directory that cannot be used', () => {
  it.each([
    ['file', 'file', 'is not a directory'],
    ['file/below', 'file', 'is not a directory'],
    ['dangling', 'dangling', 'is a symbolic link to /nowhere/at-all, which does not exist'],
    ['dangling/below', 'dangling', 'is a symbolic link to /nowhere/at-all, which does not exist'],
    ['loop', 'loop', 'is a symbolic link that leads back to itself'],
    ['x'.repeat(300), 'x'.repeat(300), 'is longer than its file system allows'],
  ])('%.20s: names the faulty path and the cause', async (path, at, what) => {
    expect(await checkDirectory(absolute(path))).toMatchObject({ at: absolute(at), what })
    const name = at === path ? 'it' : absolute(at)
    await expect(makeDirectory(absolute(path), role)).rejects.toMatchObject({
      name: 'OperatorError',
      exitCode: 1,
      message: expect.stringMatching(new RegExp(`because ${name} ${what}: .*set SVC_DATA to another place\\.$`)),
    })
  })

  // Node.js repeats a recursive mkdir there forever.
  it('/proc/nope: is refused at once', async () => {
    await expect(makeDirectory('/proc/nope/below', role)).rejects.toThrow(
      /because \/proc (accepts no|belongs to uid 0)/,
    )
  })

  it.each([
    ['ENOSPC', 'is on a full disk'],
    ['EDQUOT', 'is on a full disk'],
    ['EROFS', 'is on a read-only file system'],
    ['EIO', 'cannot be accessed (EIO)'],
  ])('a path with the error %s %s', (code, what) => {
    expect(problemOf(Object.assign(new Error('failed'), { code }), '/x').what).toBe(what)
  })
})

describe('a file that cannot be used', () => {
  it.each([
    ['dangling', 'is a symbolic link to /nowhere/at-all, which does not exist'],
    ['locked', 'is not a regular file'],
    ['loop', 'is a symbolic link that leads back to itself'],
    ['file', undefined],
    ['missing', undefined],
    ['missing/file', undefined],
  ])('names the problem of the file "%s": %s', async (path, what) => {
    expect((await checkFile(absolute(path)))?.what).toBe(what)
  })
})

// Root may do everything, so the checks run as another user.
it.runIf(process.getuid?.() === 0)('names owner, mode and user of what belongs to another user', async () => {
  const module = new URL('../../dist/shared/usable-path.js', import.meta.url).href
  const script = `const { checkDirectory, checkFile } = await import(${JSON.stringify(module)})
    const problems = [checkDirectory('${folder}'), checkDirectory('${folder}/locked/x'), checkDirectory('${folder}/new'), checkFile('${folder}/secret')]
    console.log(JSON.stringify(await Promise.all(problems)))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { uid: 65534, gid: 65534 })
  const denied = (mode: string, verb: string) =>
    `belongs to uid 0 and has the mode ${mode}, so that this process (uid 65534) may not ${verb} it`
  expect(JSON.parse(stdout)).toMatchObject([
    { at: folder, what: denied('0755', 'write to') },
    { at: absolute('locked'), what: denied('0700', 'enter') },
    { at: folder, what: denied('0755', 'write to') },
    { at: absolute('secret'), what: denied('0600', 'read') },
  ])
})

it('creates missing parents for this user only, and says which was the first', async () => {
  const path = absolute('a/b/c')
  expect(await Promise.all([makeDirectory(path, role), makeDirectory(path, role)])).toContain(absolute('a'))
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  expect(await makeDirectory(path, role)).toBeUndefined()
})

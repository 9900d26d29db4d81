import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OperatorError } from '../../shared/operator-error.js'
import { createKeyFile, readKeyFile, replaceKeyFile } from './key-file.js'
import { MasterKey } from '../../shared/master-key.js'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-key-'))
  file = join(folder, 'data', 'master.key')
})
afterEach(() => rm(folder, { recursive: true }))

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

it('creates a file that only its owner can read, and nothing else', async () => {
  const key = MasterKey.random()
  expect(await createKeyFile(file, key)).toBe(true)
  expect(await readFile(file, 'utf8')).toBe(`${key.format()}\n`)
  expect(await modeOf(file)).toBe('600')
  expect(await modeOf(join(folder, 'data'))).toBe('700')
  expect(await readdir(join(folder, 'data'))).toEqual(['master.key'])
  expect((await readKeyFile(file))?.id).toBe(key.id)
})

it('one of several processes that create the file at the same time creates it, and all read its key', async () => {
  const created = await Promise.all(Array.from({ length: 8 }, () => createKeyFile(file, MasterKey.random())))
  expect(created.filter(Boolean)).toHaveLength(1)
  expect(await readdir(join(folder, 'data'))).toEqual(['master.key'])
  expect(await readKeyFile(file)).toBeInstanceOf(MasterKey)
})

it('does not overwrite an existing file', async () => {
  await mkdir(join(folder, 'data'))
  await writeFile(file, 'precious')
  expect(await createKeyFile(file, MasterKey.random())).toBe(false)
  expect(await readFile(file, 'utf8')).toBe('precious')
})

it('removes the temporary files of killed processes, and no others', async () => {
  await mkdir(join(folder, 'data'))
  const names = ['master.key.0123456789abcdef.tmp', 'master.key.fedcba9876543210.tmp', 'master.key.old.tmp']
  for (const name of names) await writeFile(join(folder, 'data', name), '')
  const minutesAgo = Date.now() / 1000 - 120
  for (const name of names.slice(1)) await utimes(join(folder, 'data', name), minutesAgo, minutesAgo)
  await createKeyFile(file, MasterKey.random())
  expect((await readdir(join(folder, 'data'))).sort()).toEqual([names[0], 'master.key', names[2]].sort())
})

it('replaces the old key with the new one', async () => {
  const [before, after] = [MasterKey.random(), MasterKey.random()]
  await createKeyFile(file, before)
  await createKeyFile(`${file}.new`, after)
  await replaceKeyFile(file, `${file}.new`)
  expect((await readKeyFile(file))?.id).toBe(after.id)
  expect(await readdir(join(folder, 'data'))).toEqual(['master.key'])
})

const digits = '0a'.repeat(32)

describe('readKeyFile', () => {
  beforeEach(() => mkdir(join(folder, 'data')))

  it('the key of a missing file is undefined', async () => {
    expect(await readKeyFile(file)).toBeUndefined()
  })

  it.each([digits, `${digits}\n`, `${digits}\r\n`, `${digits.toUpperCase()}\n`])('accepts %j', async (text) => {
    await writeFile(file, text, { mode: 0o600 })
    expect((await readKeyFile(file))?.format()).toBe(digits)
  })

  it.each([
    ['an empty file', ''],
    ['a file that was cut', digits.slice(1)],
    ['too many digits', `${digits}0`],
    ['spaces', ` ${digits}`],
    ['two lines', `${digits}\n\n`],
    ['another character', `${digits.slice(1)}g\n`],
    ['a long file', digits.repeat(1000)],
  ])('refuses %s, without showing it', async (_, text) => {
    await writeFile(file, text, { mode: 0o600 })
    const error = await refusal()
    expect(error.message).toBe(
      `The master key file ${file} does not contain 64 hexadecimal digits: restore it from its backup.`,
    )
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it.each([0o640, 0o604, 0o644, 0o660, 0o620, 0o601])(
    'refuses a file that others can access: mode %o',
    async (mode) => {
      await writeFile(file, digits)
      await chmod(file, mode)
      expect((await refusal()).message).toContain('run chmod 600 on it')
    },
  )

  it('refuses a folder', async () => {
    await mkdir(file, { mode: 0o700 })
    expect((await refusal()).message).toContain('because it is not a regular file')
  })

  it('refuses a path through a file', async () => {
    await writeFile(file, digits)
    file = join(file, 'master.key')
    expect((await refusal()).message).toMatch(/because .*master\.key is not a directory/)
  })

  async function refusal(): Promise<OperatorError> {
    const error: unknown = await readKeyFile(file).catch((thrown: unknown) => thrown)
    if (error instanceof OperatorError) return error
    throw new Error('The file was accepted.')
  }
})

it('says why a file cannot be created', async () => {
  await writeFile(join(folder, 'data'), '')
  await expect(createKeyFile(file, MasterKey.random())).rejects.toThrow(
    /\/data cannot be used, because it is not a directory/,
  )
})

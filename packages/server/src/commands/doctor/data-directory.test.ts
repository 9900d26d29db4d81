import { chmod, lchown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import { dataCheck } from './data-directory.js'

let data: string
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'svc-data-'))
})
afterEach(() => rm(data, { recursive: true, force: true }))

const isRoot = process.geteuid?.() === 0
const other = 65_534

it.each<[string, () => Promise<unknown>, RegExp]>([
  ['a private directory', async () => undefined, /^ok .* belongs to the user \d+, with all that is in it\.$/],
  ['a missing one', () => rm(data, { recursive: true }), /^error The directory .* does not exist\.$/],
  ['a file', () => rm(data, { recursive: true }).then(() => writeFile(data, '')), /^error .* is not a directory\.$/],
  ['one that others can write', () => chmod(data, 0o777), /^error .* has the mode 0777, so other users can replace/],
  [
    'one in a file',
    () =>
      rm(data, { recursive: true })
        .then(() => writeFile(data, ''))
        .then(() => (data += '/x')),
    /^error .* cannot be read \(ENOTDIR\)\.$/,
  ],
])('reports %s', async (_, prepare, found) => {
  const made = data
  await prepare()
  const findings = (await findingsOf(dataCheck, { SVC_DATA: data })).join()
  data = made
  expect(findings).toMatch(found)
})

it.runIf(isRoot)('names files of another owner than the directory, as after a restore as root', async () => {
  await mkdir(join(data, 'files', '0'), { recursive: true })
  await writeFile(join(data, 'svc.db'), '')
  await writeFile(join(data, 'files', '0', 'a'), '')
  for (const path of [data, join(data, 'files'), join(data, 'files', '0')]) await lchown(path, other, other)
  expect(await findingsOf(dataCheck, { SVC_DATA: data })).toEqual([
    expect.stringMatching(/^error 2 entries have another owner than .* itself, .* after a restore as root\.$/),
  ])
})

it('checks the directories of the database and the files that are elsewhere', async () => {
  const missing = join(data, '..', 'svc-no-such-folder')
  const env = { SVC_DATA: data, SVC_DATABASE: `sqlite:${data}/svc.db`, SVC_BLOBS: `file:${missing}` }
  expect(await findingsOf(dataCheck, env)).toEqual([
    expect.stringMatching(/^ok /),
    `error The directory ${missing} does not exist.`,
  ])
})

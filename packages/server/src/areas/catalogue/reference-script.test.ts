import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Document } from '../../http/answer.js'
import { referenceScript } from './reference-script.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-script-'))
})
afterAll(() => rm(folder, { recursive: true }))

const context = {
  ip: '192.0.2.1',
  requestId: 'req_test',
  behindTrustedProxy: false,
  header: () => undefined,
  params: {},
  path: '',
  query: {},
  hasLeft: false,
}

it('serves the installed script without its test of the page policy', async () => {
  const { answer } = await referenceScript('/script.js')
  const answered = await answer(context)
  const body = answered instanceof Document ? answered.body : ''
  expect(body.toString()).toContain('createApiReference')
  expect(body.toString()).not.toContain('return new Function("")')
})

it('rejects an unexpected script at start, with the file and the package in the message', async () => {
  const file = join(folder, 'standalone.js')
  await writeFile(file, 'another version')
  await expect(referenceScript('/script.js', file)).rejects.toThrow(
    `${file} does not contain return new Function(""),!0. @scalar/fastify-api-reference has changed:`,
  )
})

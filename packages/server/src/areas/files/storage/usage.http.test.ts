import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { noLimits } from '../../../../test/file-storage.js'
import { freeBytesOf } from './handlers.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'

it.each([
  [[], null],
  [[{ path: '/a', freeBytes: 500, reserveBytes: 100 }], 400],
  [
    [
      { path: '/a', freeBytes: 500, reserveBytes: 100 },
      { path: '/b', freeBytes: 300, reserveBytes: 100 },
    ],
    200,
  ],
  [[{ path: '/a', freeBytes: 50, reserveBytes: 100 }], 0],
])('the free space of the disks %j is %s', (spaces, free) => {
  expect(freeBytesOf(spaces)).toBe(free)
})

/** The storage of an account, as the console shows it. */

describe.each(databaseKinds)('used storage on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind, { files: { ...noLimits, bytesMax: 1000 } })
  })
  afterAll(() => site.stop())

  const browserOf = async (email: string) => {
    await site.account(email)
    return site.browser(email)
  }
  const usageOf = async (browser: Browser) => {
    const answer = await browser.call('GET', '/files/usage')
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'] as unknown
  }

  it('the used storage is zero for a new account, whose limits it names; null stands for no limit', async () => {
    expect(await usageOf(await browserOf('ada@example.com'))).toEqual({
      files: 0,
      shared: 0,
      bytes: 0,
      uploads: 0,
      bytes_limit: 1000,
      file_bytes_limit: null,
      free_bytes: expect.any(Number),
    })
  })

  it('the used storage counts files, shared files and open uploads of the account', async () => {
    const browser = await browserOf('bob@example.com')
    const upload = (name: string, shared: boolean) =>
      browser.call('POST', '/files/upload', { body: { name, content: 'aGVsbG8=', shared } })
    await upload('a.txt', true)
    await upload('b.txt', false)
    await browser.call('POST', '/files/upload-chunk', { body: { index: 0, content: 'aGVsbG8=' } })
    expect(await usageOf(browser)).toMatchObject({ files: 2, shared: 1, bytes: 15, uploads: 1 })
  })
})

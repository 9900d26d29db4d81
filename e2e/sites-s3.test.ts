import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { emptyPlace, svcServe } from '../packages/cli/test/svc.js'
import { buildZip } from '../packages/server/test/built-zip.js'
import { openS3Blobs } from '../packages/server/src/ports/blobs/s3/s3-blobs.js'
import { startSwift, type Swift } from '../test/servers/index.js'
import { accountToken } from './account-token.js'
import { knownObjects } from './stored-files.js'

/** Static sites in a bucket. */

let swift: Swift
beforeAll(async () => {
  swift = await startSwift()
  vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secretKey)
}, 180_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await swift.stop()
})

const read = (url: string, path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { headers: { host: 'bucket.localhost' } }
    request(`${url}${path}`, options, (answer) => void buffer(answer).then(resolve, reject))
      .on('error', reject)
      .end()
  })

it('deploys, serves and redeploys a site with few objects', { timeout: 120_000 }, async () => {
  const bucket = await swift.createBucket()
  await using empty = await emptyPlace()
  const place = { ...empty, env: { SVC_BLOBS: `s3://${bucket}?endpoint=${swift.url}` } }
  const token = await accountToken(place, 'ada@example.com', 'sites:write')
  const server = await svcServe(place)
  const large = randomBytes(9_000_000)
  const pages = Array.from({ length: 200 }, (_, i) => ({ name: `${i}.html`, data: `page ${i} ${'text '.repeat(i)}` }))
  const deploy = async (home: string) => {
    const answer = await fetch(`${server.url}/v1/sites/deploy?name=bucket`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
      body: new Uint8Array(
        buildZip([...pages, { name: 'index.html', data: home }, { name: 'large.bin', data: large }]),
      ),
    })
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: { files: 202 } }])
  }
  await deploy('Home')
  expect(String(await read(server.url, '/'))).toBe('Home')
  expect(String(await read(server.url, '/150'))).toBe(pages[150]?.data)
  expect((await read(server.url, '/large.bin')).equals(large)).toBe(true)
  expect((await knownObjects(place)).size).toBe(2)
  await deploy('New home')
  expect(String(await read(server.url, '/'))).toBe('New home')
  expect((await knownObjects(place)).size).toBe(3)

  const blobs = openS3Blobs({ bucket, endpoint: swift.url })
  const known = await knownObjects(place)
  await vi.waitFor(
    async () => {
      const stored: string[] = []
      for await (const { key } of blobs.list()) if (!key.endsWith('-0')) stored.push(key)
      // The archives are removed.
      expect(stored.toSorted()).toEqual([...known.keys()].toSorted())
    },
    { timeout: 30_000 },
  )
  await blobs.close()
  expect(await server.stop()).toBe(0)
})

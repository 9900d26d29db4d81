import { afterAll, beforeAll, describe, vi } from 'vitest'
import { startSwift, type Swift } from '../../../../../../test/servers/index.js'
import { blobsConformance } from '../conformance.js'
import { selectBlobs } from '../select.js'

let swift: Swift
beforeAll(async () => {
  swift = await startSwift()
  vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secretKey)
}, 60_000)
afterAll(() => {
  vi.unstubAllEnvs()
  return swift.stop()
})

describe('in a bucket of Swift', () => {
  blobsConformance(async () => {
    const blobs = await selectBlobs({ kind: 's3', bucket: await swift.createBucket(), endpoint: swift.url })
    return { blobs, stop: () => blobs.close() }
  })
})

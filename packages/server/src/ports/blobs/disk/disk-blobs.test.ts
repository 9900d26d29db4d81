import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { blobsConformance } from '../../../../test/conformance/blobs.js'
import { selectBlobs } from '../select.js'

describe('on a disk', () => {
  blobsConformance(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-blobs-'))
    const blobs = await selectBlobs({ kind: 'disk', folder: join(folder, 'data', 'files') })
    return {
      blobs,
      stop: async () => {
        await blobs.close()
        await rm(folder, { recursive: true })
      },
    }
  })
})

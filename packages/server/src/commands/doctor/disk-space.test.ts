import { expect, it } from 'vitest'
import { findingsOf, reported } from '../../../test/findings.js'
import { diskCheck, reportSpace } from './disk-space.js'

const mib = 1024 ** 2
const gib = 1024 ** 3
const roomy = { freeBytes: 500 * gib, bytes: 1000 * gib, freeInodes: 500, inodes: 1000 }

it.each([
  [{}, ['ok /d has 500.0 GiB free, 50 % of 1000.0 GiB.']],
  [{ freeBytes: 99 * gib }, ['warning /d has 99.0 GiB free, 9.9 % of 1000.0 GiB.']],
  [{ freeBytes: 1000 * mib, bytes: 2 * gib }, ['warning /d has 1000.0 MiB free, 49 % of 2.0 GiB.']],
  [{ freeBytes: 9 * gib }, ['error /d has 9.0 GiB free, 0.9 % of 1000.0 GiB.']],
  [{ freeBytes: 99 * mib, bytes: 200 * mib }, ['error /d has 99.0 MiB free, 50 % of 200.0 MiB.']],
  [{ freeBytes: 0 }, ['error /d has 0 bytes free, 0.0 % of 1000.0 GiB.']],
  [
    { freeInodes: 99 },
    [expect.stringMatching(/^ok /), 'warning The file system of /d has room for 99 more files, 9.9 % of its inodes.'],
  ],
  [
    { freeInodes: 0 },
    [expect.stringMatching(/^ok /), 'error The file system of /d has room for 0 more files, 0.0 % of its inodes.'],
  ],
  // btrfs has no limit of inodes.
  [{ freeInodes: 0, inodes: 0 }, [expect.stringMatching(/^ok /)]],
])('reports the space of a file system with %j', (change, findings) => {
  expect(reported((report) => reportSpace('/d', { ...roomy, ...change }, report))).toEqual(findings)
})

it('checks each file system once, by the nearest directory that exists', async () => {
  const findings = await findingsOf(diskCheck, { SVC_DATA: '/tmp/svc-no-such/folder' })
  expect(findings).toEqual([expect.stringMatching(/^\w+ \/tmp has .* free, /)])
})

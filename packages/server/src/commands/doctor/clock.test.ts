import { once } from 'node:events'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findingsOf, reported } from '../../../test/findings.js'
import { clockCheck, reportDifference } from './clock.js'

it.each([
  [1_900, 0, 'ok The clock agrees with that of PostgreSQL.'],
  [3_000, 1_500, 'ok The clock agrees with that of PostgreSQL.'],
  [3_000, 0, 'warning The clock is 3.0 seconds ahead of that of PostgreSQL.'],
  [-61_000, 0, 'error The clock is 61.0 seconds behind that of PostgreSQL.'],
])('a difference of %i ms with an uncertainty of %i ms is reported: %s', (difference, uncertainty, finding) => {
  expect(reported((report) => reportDifference('PostgreSQL', difference, uncertainty, report))).toEqual([finding])
})

it.each<[string, string | undefined, RegExp]>([
  [
    'an old one',
    'Mon, 01 Jan 2024 00:00:00 GMT',
    /^error The clock is \d+\.\d seconds ahead of that of the S3 provider\.$/,
  ],
  ['none', undefined, /^ok Not checked: /],
])('compares with the header Date of an S3 provider: %s', async (_, date, found) => {
  const server = createServer((_request, response) => {
    response.sendDate = false
    if (date !== undefined) response.setHeader('date', date)
    response.writeHead(403).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = { SVC_BLOBS: `s3://bucket?endpoint=http://127.0.0.1:${port}`, SVC_DATA: '/nonexistent' }
  expect((await findingsOf(clockCheck, env)).join()).toMatch(found)
  server.close()
  server.closeAllConnections()
})

it('says that there is nothing to compare with, also if the S3 provider does not answer', async () => {
  const env = { SVC_BLOBS: 's3://bucket?endpoint=http://127.0.0.1:9' }
  expect(await findingsOf(clockCheck, env)).toEqual([expect.stringMatching(/^ok Not checked: /)])
})

it('a database from the future is an error', async () => {
  const data = await mkdtemp(join(tmpdir(), 'svc-clock-'))
  await writeFile(join(data, 'svc.db'), '')
  const later = new Date(Date.now() + 3_600_000)
  await utimes(join(data, 'svc.db'), later, later)
  expect(await findingsOf(clockCheck, { SVC_DATA: data })).toEqual([
    expect.stringMatching(/^error The clock is behind: .*svc\.db was written at /),
  ])
  await rm(data, { recursive: true })
})

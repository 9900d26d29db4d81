import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { emptyPlace, svcProcess, svcServe, type Place } from '../../packages/cli/test/svc.js'
import { databaseKinds, type DatabaseKind } from '../../packages/server/test/app.js'
import { openDiskBlobs } from '../../packages/server/src/ports/blobs/disk/disk-blobs.js'
import { newBlobKey } from '../../packages/server/src/ports/blobs/port.js'
import { freshPostgres } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'

/** A server never begins a new installation, or goes on with another one, beside the files of an installation. */

/** The same directory with another database, which is empty. */
const otherDatabase = async ({ cwd }: Place, kind: DatabaseKind): Promise<Place> => ({
  cwd,
  env: { SVC_DATABASE: kind === 'sqlite' ? `sqlite:${join(cwd, 'typo.db')}` : await freshPostgres() },
})

const serve = ['serve', '--port', '0', '--dns-port', '0']

/** Starts a server and stops it. */
async function startOnce(place: Place): Promise<void> {
  await using server = await svcServe(place)
  expect(await server.stop()).toBe(0)
}

const filesIn = async ({ cwd }: Place): Promise<string[]> => (await readdir(cwd, { recursive: true })).toSorted()

it.each(databaseKinds)('a wrong SVC_DATABASE beside the files is refused, and nothing is made: %s', async (kind) => {
  await using place = await emptyPlace()
  await startOnce(place)
  await rm(join(place.cwd, 'data', 'master.key'))
  const before = await filesIn(place)
  const other = await otherDatabase(place, kind)
  for (let start = 1; start <= 2; start++) {
    const { code, stdout, stderr } = await svcProcess(serve, other)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^svc: The store of files .+\/data\/files belongs to the installation [0-9a-f]{16} of svc, but there is no database (sqlite|postgres):.+ yet: set SVC_DATABASE .+ to the database of that installation, or SVC_BLOBS to an empty place for a new one\.\n$/,
    )
  }
  expect(await filesIn(place)).toEqual(before)

  // A command makes the wrong database, with an account.
  await accountToken(other, 'ada@example.com', '*')
  expect((await svcProcess(serve, other)).stderr).toMatch(
    /, and the database .+ is that of another one: set SVC_DATABASE /,
  )
  expect(await filesIn(place)).not.toContain('data/master.key')
})

it.each(databaseKinds)(
  'files of an earlier version, without an owner, are those of the database with accounts: %s',
  async (kind) => {
    await using place = await emptyPlace()
    const old = kind === 'sqlite' ? place : await otherDatabase(place, kind)
    await accountToken(old, 'ada@example.com', '*')
    const folder = join(place.cwd, 'data', 'files')
    const blobs = await openDiskBlobs(folder)
    await blobs.put(newBlobKey(1), Readable.from([Buffer.from('x')]))
    const other = await otherDatabase(place, kind)
    expect((await svcProcess(serve, other)).stderr).toMatch(
      /has files, but the database .+ has no accounts: set SVC_DATABASE/,
    )
    expect(await blobs.readMark('owner')).toBeUndefined()
    await startOnce(old)
    expect(await blobs.readMark('owner')).toMatch(/^[0-9a-f]{16}$/)
    await startOnce(old)
  },
)

it('a store that cannot be read does not stop the start', async () => {
  await using place = await emptyPlace()
  const bucket = {
    cwd: place.cwd,
    env: { SVC_BLOBS: 's3://files?endpoint=http://127.0.0.1:9', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
  }
  await using server = await svcServe(bucket)
  expect(server.log.map(({ msg }) => msg)).toContain(
    'the owner of the blob store is not known yet: the first upload checks it',
  )
})

it('of two installations that point at one store, the second does not start', async () => {
  await using one = await emptyPlace()
  await using other = await emptyPlace()
  const env = { SVC_BLOBS: `file:${join(one.cwd, 'shared')}` }
  await using server = await svcServe({ ...one, env })
  await accountToken(other, 'bob@example.com', '*')
  const { code, stderr } = await svcProcess(serve, { ...other, env })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/\/shared belongs to the installation .+ is that of another one: /),
  ])
  expect(await server.stop()).toBe(0)
  await startOnce(other)
})

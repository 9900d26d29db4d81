import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { cleanUp } from '../../packages/server/src/areas/sites/versions/clean-up.js'
import { cleanUpStore } from '../../packages/server/src/areas/sites/versions/clean-up-store.js'
import { withDatabase } from '../../packages/server/src/commands/with-database.js'
import { buildZip } from '../../packages/server/test/built-zip.js'
import { accountToken } from '../account-token.js'
import { expectRowsStored, knownObjects, sqlOf, storedObjects, sweepAfterLeases } from '../stored-files.js'
import { isLong, random } from './random.js'

/** A killed server serves one version as a whole, and keeps nothing of an unfinished deploy for long. */

const rounds = isLong ? 40 : 3
const files = isLong ? 300 : 100
const { integer, pick } = random('sites-crash')

/** Half of the files change with each version. */
const archiveOf = (version: number): Buffer =>
  buildZip(
    Array.from({ length: files }, (_, i) => ({
      name: `${i}.html`,
      data: `${i % 2 === 0 ? version : 'all'} ${i} ${'text '.repeat(i)}`,
    })),
  )

/** @returns whether the server has answered */
async function deploy(server: Serving, token: string, version: number): Promise<boolean> {
  try {
    const answer = await fetch(`${server.url}/v1/sites/deploy?name=crash`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
      body: new Uint8Array(archiveOf(version)),
    })
    const body = (await answer.json()) as { data: object }
    expect([answer.status, body.data]).toMatchObject([200, { files }])
    return true
  } catch (error) {
    // fetch throws a TypeError when the connection breaks, and its body a SyntaxError if the answer is cut off.
    if (error instanceof TypeError || error instanceof SyntaxError) return false
    throw error
  }
}

const read = (server: Serving, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { host: 'crash.localhost' }
    request(`${server.url}/${path}`, { headers }, (answer) => void text(answer).then(resolve, reject))
      .on('error', reject)
      .end()
  })

/** Reads all files of the site, which must be of one version. @returns the version */
async function servedVersion(server: Serving): Promise<number> {
  const versions = new Set<string>()
  for (let i = 0; i < files; i++) {
    const [version = '', number, ...words] = (await read(server, `${i}.html`)).split(' ')
    expect([number, words.length]).toEqual([String(i), i + 1])
    if (i % 2 === 0) versions.add(version)
  }
  expect(versions.size).toBe(1)
  return Number([...versions][0])
}

/** Runs the clean-up when nothing is too young for it. No server may be running. */
async function cleanUpAll(place: Place): Promise<void> {
  const config = { kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') } as const
  await withDatabase(config, (db) =>
    // Later than now, because the run itself notes since when contents are unused.
    cleanUp(cleanUpStore(db), { remove: () => undefined }, Date.now() + 60_000, new AbortController().signal),
  )
}

it(`a site is whole after kill -9 at any step of a deploy, ${rounds} times in a row`, async () => {
  await using place = await emptyPlace()
  const token = await accountToken(place, 'ada@example.com', 'sites:write')
  let version = 1
  let acknowledged = 0

  for (let round = 0; round <= rounds; round++) {
    await using server = await svcServe(place)
    if (acknowledged === 0) {
      expect(await deploy(server, token, version)).toBe(true)
      acknowledged = version
    }
    const served = await servedVersion(server)
    expect([acknowledged, version]).toContain(served)
    acknowledged = served
    if (round === rounds) {
      expect(await server.stop()).toBe(0)
      break
    }
    const working = (async () => {
      for (;;) {
        version++
        if (!(await deploy(server, token, version))) return
        acknowledged = version
      }
    })()
    await sleep(pick([0, integer(0, 100), integer(0, 700)]))
    server.child.kill('SIGKILL')
    await Promise.all([working, server.ended])
    await expectRowsStored(place)
  }

  await cleanUpAll(place)
  await sweepAfterLeases(place)
  expect([...(await storedObjects(place))].toSorted()).toEqual([...(await knownObjects(place))].toSorted())
  expect(await sqlOf(place, 'select id from site_version where site_id is null')).toEqual([])
  expect(await sqlOf(place, 'select id from site_content where id not in (select content_id from site_file)')).toEqual(
    [],
  )
  const live = 'select sum(size + coalesce(gzip_size, 0) + coalesce(br_size, 0)) from site_content'
  const sums = `select bytes, (${live}) as live, (select sum(size) from blob) as stored from site_use`
  const [use] = (await sqlOf(place, sums)) as { bytes: number; live: number; stored: number }[]
  expect(use?.bytes).toBe(use?.live)
  // An object stays while at least half of its bytes are live.
  expect(use?.stored).toBeLessThanOrEqual(2 * (use?.live ?? 0))
})

import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { accountToken } from '../account-token.js'
import { fileClient, type FileOutcome } from '../file-client.js'
import { expectRowsStored, knownObjects, sqlOf, storedObjects, sweepAfterLeases } from '../stored-files.js'
import { isLong, random } from './random.js'

/** A killed server has published a version with all its artifacts, or not at all, and keeps nothing else for long. */

const rounds = isLong ? 60 : 3
const publishers = 3
const { integer, pick } = random('packages-crash')

interface Artifact {
  readonly name: string
  readonly sha256: string
  readonly size: number
}

/** The artifacts of each version that was sent, and whether its answer has arrived. */
type Sent = Map<string, { readonly artifacts: readonly Artifact[]; isConfirmed: boolean }>

/** Publishes one version after another until the server is gone. */
async function publishUntilGone(server: Serving, token: string, slug: string, sent: Sent): Promise<void> {
  const client = fileClient(server.url, token)
  for (;;) {
    const version = `1.0.${sent.size}`
    const files = Array.from({ length: integer(1, 6) }, (_, i) => ({
      name: `${i}.bin`,
      content: Buffer.alloc(integer(0, 300_000), `${slug} ${version} ${i} `),
    }))
    const artifacts = files.map(({ name, content }) => ({
      name,
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    }))
    const state = { artifacts, isConfirmed: false }
    sent.set(version, state)
    const body = files.map(({ name, content }) => ({ name, content: content.toString('base64') }))
    const answer = await client.call('packages/publish', { slug, version, artifacts: body })
    if (answer === undefined) return
    expect(answer).toMatchObject({ status: 200, data: { published: { version, artifacts } } })
    state.isConfirmed = true
  }
}

/** Checks that every version is whole, that all confirmed ones exist, and that the use of the account is the sum of its rows. */
async function expectWhole(place: Place, slugs: ReadonlyMap<string, Sent>): Promise<void> {
  await expectRowsStored(place)
  const rows = await sqlOf(
    place,
    `select p.slug, v.version, v.artifacts, a.name, a.size, a.sha256 from package p
      join package_version v on v.package_id = p.id left join package_artifact a on a.version_id = v.id order by a.id`,
  )
  for (const [slug, sent] of slugs)
    for (const [version, { artifacts, isConfirmed }] of sent) {
      const found = rows.filter((row) => row['slug'] === slug && row['version'] === version)
      if (found.length === 0) expect(isConfirmed, `${slug} ${version}`).toBe(false)
      else expect(found.map(({ name, size, sha256 }) => ({ name, size, sha256 }))).toEqual(artifacts)
    }
  const [use] = await sqlOf(place, 'select packages, artifacts, bytes from package_use')
  const [sum] = await sqlOf(
    place,
    `select (select count(*) from package) as packages, count(*) as artifacts, coalesce(sum(size), 0) as bytes
      from package_artifact`,
  )
  const none = { packages: 0, artifacts: 0, bytes: 0 }
  expect(use ?? none).toEqual(sum)
}

/** The SHA-256 of an artifact as the content host sends it. */
const download = (url: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(url + path, { headers: { host: 'content.localhost' } }, (response) => {
      const hash = createHash('sha256')
      response.on('data', (chunk: Buffer) => hash.update(chunk))
      response.once('end', () => resolve(hash.digest('hex')))
    })
    sent.once('error', reject).end()
  })

it(`versions are whole after kill -9 at any step, ${rounds} times in a row`, async () => {
  await using place = await emptyPlace()
  const token = await accountToken(place, 'ada@example.com', 'packages:write')
  const slugs = new Map<string, Sent>(Array.from({ length: publishers }, (_, i) => [`p${i}`, new Map()]))

  for (let round = 0; round < rounds; round++) {
    await using server = await svcServe(place)
    const working = Promise.all(Array.from(slugs, ([slug, sent]) => publishUntilGone(server, token, slug, sent)))
    await sleep(pick([integer(0, 100), integer(200, 1_000)]))
    server.child.kill('SIGKILL')
    await Promise.all([working, server.ended])
    await expectWhole(place, slugs)
  }

  {
    await using server = await svcServe(place)
    const client = fileClient(server.url, token)
    for (const slug of slugs.keys()) {
      const { status, data } = (await client.call(`packages/${slug}`)) as NonNullable<FileOutcome>
      if (status === 404) continue
      for (const { version, artifacts } of data['versions'] as { version: string; artifacts: Artifact[] }[]) {
        for (const { name, sha256 } of artifacts)
          expect(await download(server.url, `/p/${slug}/${version}/${name}`)).toBe(sha256)
        const again = { slug, version, artifacts: [{ name: 'again', content: '' }] }
        expect(await client.call('packages/publish', again)).toMatchObject({ status: 400 })
      }
    }
    expect(await server.stop()).toBe(0)
  }
  await sweepAfterLeases(place)
  await expectWhole(place, slugs)
  expect([...(await storedObjects(place)).keys()].toSorted()).toEqual(
    [...(await knownObjects(place)).keys()].toSorted(),
  )
})

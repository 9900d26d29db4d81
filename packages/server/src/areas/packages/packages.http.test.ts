import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import {
  dataOf,
  entryOf,
  sha256Of,
  startPackageSite,
  type PackageSite,
  type Publisher,
} from '../../../test/package-site.js'
import { expectError } from '../../../test/raw-http.js'

/** Packages through the real server (specification, section 4.5). */

describe.each(databaseKinds)('packages on %s', (kind) => {
  let site: PackageSite
  beforeAll(async () => {
    site = await startPackageSite(kind)
  })
  afterAll(() => site.stop())

  let ada: Publisher
  let slug: string
  beforeEach(async () => {
    ada = await site.publisher()
    slug = site.newSlug()
  })

  const one = { name: 'one.txt', content: 'hello' }
  const two = { name: 'two.bin', content: Buffer.alloc(300_000, 'svc.') }
  const shown = ({ name, content }: typeof one | typeof two, version: string) => ({
    name,
    size: content.length,
    sha256: sha256Of(content),
    downloads: 0,
    url: expect.stringMatching(new RegExp(`^http://content\\.localhost:\\d+/p/${slug}/${version}/${name}$`)),
  })
  const objects = async () => (await site.sql('select key from blob')).length

  it('publishes JSON, and shows the package with its version', async () => {
    const published = dataOf(await site.publish(ada, { slug, version: '1.0.0', name: 'Greeter' }, one, two))
    expect(published).toEqual({
      package: {
        slug,
        name: 'Greeter',
        description: '',
        versions: 1,
        downloads: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
      published: {
        version: '1.0.0',
        published_at: expect.any(String),
        downloads: 0,
        artifacts: [shown(one, '1.0.0'), shown(two, '1.0.0')],
      },
    })
    expect(dataOf(await site.get(ada, slug))).toEqual({
      package: published['package'],
      versions: [published['published']],
    })
    expect(published['published'].published_at).toBe(published['package'].updated_at)
  })

  it.each<[string, (slug: string) => string]>([
    ['artifacts first', (of) => `{"artifacts":[${JSON.stringify(entryOf(one))}],"version":"1.0.0","slug":"${of}"}`],
    [
      'contents before names, with spaces',
      (of) =>
        `{ "slug": "${of}", "artifacts": [ { "content" : "aGVsbG8=", "name" : "one.txt" } ] , "version": "1.0.0" }`,
    ],
    [
      'keys and slashes as other encoders write them',
      (of) =>
        `{"slug":"${of}","\\u0061rtifacts":[{"\\u0063ontent":"aGVsbG8\\u003d","name":"one.txt"}],"version":"1.0.0"}`,
    ],
  ])('publishes JSON in any order: %s', async (_, bodyOf) => {
    const answer = await site.call('POST', '/v1/packages/publish', { token: ada.token, body: bodyOf(slug) })
    expect(dataOf(answer)['published'].artifacts).toEqual([shown(one, '1.0.0')])
  })

  it('publishes a form, fields first and last', async () => {
    const first = await site.publishForm(ada, [
      ['slug', slug],
      ['version', '1.0.0'],
      ['description', 'Greets'],
      ['file', one],
      ['file', two],
    ])
    expect(dataOf(first)['published'].artifacts).toEqual([shown(one, '1.0.0'), shown(two, '1.0.0')])
    const last = await site.publishForm(ada, [
      ['a', two],
      ['b', one],
      ['version', '1.0.1'],
      ['slug', slug],
    ])
    expect(dataOf(last)['published'].artifacts).toEqual([shown(two, '1.0.1'), shown(one, '1.0.1')])
    expect(dataOf(last)['package']).toMatchObject({ name: slug, description: 'Greets', versions: 2 })
  })

  it('lists packages by slug, and shows versions newest first by their precedence', async () => {
    const other = site.newSlug()
    for (const version of ['1.9.0', '1.10.0', '2.0.0-rc.2', '2.0.0-rc.10', '1.10.0-beta', '2.0.0-rc'])
      dataOf(await site.publish(ada, { slug, version }, one))
    dataOf(await site.publish(ada, { slug: `${slug}-a`, version: '1.0.0' }, one))
    dataOf(await site.publish(ada, { slug: other, version: '1.0.0' }, one))
    const list = dataOf(await site.call('GET', '/v1/packages', { token: ada.token }))
    expect(list['packages'].map((each: { slug: string; versions: number }) => [each.slug, each.versions])).toEqual(
      [[slug, 6] as const, [`${slug}-a`, 1] as const, [other, 1] as const].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
    const { versions } = dataOf(await site.get(ada, slug))
    expect(versions.map(({ version }: { version: string }) => version)).toEqual([
      ...['2.0.0-rc.10', '2.0.0-rc.2', '2.0.0-rc', '1.10.0', '1.10.0-beta', '1.9.0'],
    ])
  })

  it('an account without packages has an empty list', async () => {
    expect(dataOf(await site.call('GET', '/v1/packages', { token: ada.token }))).toEqual({ packages: [] })
  })

  it.each([
    ['with the same bytes', '1.0.0', one],
    ['with other bytes', '1.0.0', two],
    ['with other build metadata', '1.0.0+b', one],
  ])('400 for a published version %s, and nothing changes', async (_, version, file) => {
    dataOf(await site.publish(ada, { slug, version: '1.0.0' }, one))
    const before = [dataOf(await site.get(ada, slug)), await objects()]
    const again = await site.publish(ada, { slug, version, name: 'Other' }, file)
    expectError(again, 'bad_request')
    expect(again.body['message']).toBe(
      `version 1.0.0 of ${slug} was published already. Versions never change, also after a deletion: publish the next version.`,
    )
    expect([dataOf(await site.get(ada, slug)), await objects()]).toEqual(before)
  })

  it('one of several publishers of a version wins whole, in two processes', async () => {
    const second = await site.another()
    const contents = Array.from({ length: 6 }, (_, index) => `by ${String(index)}`)
    const answers = await Promise.all(
      contents.map((content, index) =>
        (index % 2 === 0 ? site : second).call('POST', '/v1/packages/publish', {
          token: ada.token,
          body: {
            slug,
            version: '1.0.0',
            artifacts: ['a', 'b'].map((name) => entryOf({ name, content: content + name })),
          },
        }),
      ),
    )
    await second.stop()
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []))
    expect(winners).toHaveLength(1)
    for (const answer of answers)
      if (answer.status !== 200) expect(answer.body['message']).toMatch(/was published already/)
    const { versions } = dataOf(await site.get(ada, slug))
    const content = contents[winners[0] ?? 0] ?? ''
    expect(versions[0].artifacts.map(({ sha256 }: { sha256: string }) => sha256)).toEqual([
      sha256Of(`${content}a`),
      sha256Of(`${content}b`),
    ])
  })

  it('one of several accounts gets a new slug', async () => {
    const publishers = [ada, await site.publisher(), await site.publisher()]
    const second = await site.another()
    const body = { slug, version: '1.0.0', artifacts: [entryOf(one)] }
    const answers = await Promise.all(
      publishers.map(({ token }, index) =>
        (index === 0 ? site : second).call('POST', '/v1/packages/publish', { token, body }),
      ),
    )
    await second.stop()
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
  })

  it('403 for a package of another account, in every operation', async () => {
    dataOf(await site.publish(ada, { slug, version: '1.0.0' }, one))
    const bob = await site.publisher()
    const before = await objects()
    const answers = [
      await site.publish(bob, { slug, version: '2.0.0' }, one),
      await site.publishForm(bob, [
        ['file', one],
        ['slug', slug],
        ['version', '2.0.0'],
      ]),
      await site.get(bob, slug),
      await site.post(bob, 'update', { slug, name: 'Mine' }),
      await site.post(bob, 'delete', { slug }),
    ]
    for (const answer of answers) expectError(answer, 'forbidden')
    expect(await objects()).toBe(before)
    expect(dataOf(await site.get(ada, slug))['package']).toMatchObject({ name: slug, versions: 1 })
  })

  it('changes only supplied details', async () => {
    dataOf(await site.publish(ada, { slug, version: '1.0.0', name: 'A', description: 'B' }, one))
    expect(dataOf(await site.post(ada, 'update', { slug, name: 'C' }))['package']).toMatchObject({
      name: 'C',
      description: 'B',
    })
    const emptied = dataOf(await site.post(ada, 'update', { slug, description: '' }))['package']
    expect(emptied).toMatchObject({ name: 'C', description: '' })
    expect(dataOf(await site.post(ada, 'update', { slug, name: 'C' }))['package']).toEqual(emptied)
    expectError(await site.post(ada, 'update', { slug: site.newSlug(), name: 'C' }), 'not_found')
  })

  it('deletes a package with its objects', async () => {
    const published = dataOf(await site.publish(ada, { slug, version: '1.0.0' }, one, two))
    const [row] = await site.sql(`select blob_key from package_artifact where name = 'two.bin' order by id desc`)
    expect(dataOf(await site.post(ada, 'delete', { slug }))).toEqual({ slug, deleted: true })
    for (const path of ['update', 'delete']) expectError(await site.post(ada, path, { slug }), 'not_found')
    expectError(await site.get(ada, slug), 'not_found')
    expect((await site.follow(published['published'].artifacts[0].url)).status).toBe(404)
    expect(await site.sql(`select key from blob where key = '${String(row?.['blob_key'])}'`)).toEqual([])
    expect(await site.sql(`select * from package_use where account_id = ${String(ada.account.id)}`)).toEqual([
      { account_id: ada.account.id, packages: 0, slugs: 1, artifacts: 0, bytes: 0 },
    ])
  })

  it('a deleted package is 404 for every account, and its slug stays with its account', async () => {
    dataOf(await site.publish(ada, { slug, version: '1.0.0' }, one))
    dataOf(await site.post(ada, 'delete', { slug }))
    const bob = await site.publisher()
    for (const by of [ada, bob]) {
      expectError(await site.get(by, slug), 'not_found')
      for (const path of ['update', 'delete']) expectError(await site.post(by, path, { slug }), 'not_found')
      expect(dataOf(await site.call('GET', '/v1/packages', { token: by.token }))).toEqual({ packages: [] })
    }
    const before = await objects()
    expectError(await site.publish(bob, { slug, version: '2.0.0' }, one), 'forbidden')
    const fieldsLast = [['file', one] as const, ['slug', slug] as const, ['version', '2.0.0'] as const]
    expectError(await site.publishForm(bob, fieldsLast), 'forbidden')
    expect(await objects()).toBe(before)
  })

  it('a deleted package appears again with its new versions only, and its versions stay used', async () => {
    const [first] = dataOf(await site.publish(ada, { slug, version: '1.0.0', name: 'Old' }, one))['published'].artifacts
    dataOf(await site.publish(ada, { slug, version: '1.1.0', description: 'Old' }, one))
    dataOf(await site.post(ada, 'delete', { slug }))
    for (const version of ['1.0.0', '1.1.0+build.2']) {
      const again = await site.publish(ada, { slug, version }, two)
      expectError(again, 'bad_request')
      expect(again.body['message']).toMatch(
        /was published already\. Versions never change, also after a deletion: publish/,
      )
    }
    expectError(await site.get(ada, slug), 'not_found')
    const published = dataOf(await site.publish(ada, { slug, version: '1.2.0' }, two))
    expect(published['package']).toMatchObject({ name: slug, description: '', versions: 1, downloads: 0 })
    expect(published['package'].created_at).toBe(published['published'].published_at)
    expect(dataOf(await site.get(ada, slug))).toEqual({
      package: published['package'],
      versions: [published['published']],
    })
    const list = dataOf(await site.call('GET', '/v1/packages', { token: ada.token }))
    expect(list).toEqual({ packages: [published['package']] })
    expect((await site.follow(first.url)).status).toBe(404)
    dataOf(await site.post(ada, 'delete', { slug }))
    expectError(await site.publish(ada, { slug, version: '1.2.0' }, two), 'bad_request')
  })
})

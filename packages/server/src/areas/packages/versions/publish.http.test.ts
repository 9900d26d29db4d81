import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { fieldPart, formOf, formType } from '../../../../test/byte-forms.js'
import {
  dataOf,
  entryOf,
  startPackageSite,
  type File,
  type PackageSite,
  type Publisher,
} from '../../../../test/package-site.js'
import { expectError, send } from '../../../../test/raw-http.js'

/** What publishing refuses: nothing of it is kept. The limits are small. */

const limits = { packagesMax: 2, versionsMax: 2, artifactsMax: 150, artifactBytesMax: 100_000, bytesMax: 250_000 }

let site: PackageSite
let ada: Publisher
let slug: string
beforeAll(async () => {
  site = await startPackageSite('sqlite', { packages: limits })
})
afterAll(() => site.stop())
beforeEach(async () => {
  ada = await site.publisher()
  slug = site.newSlug()
})

const file = (name: string, size = 5): File => ({ name, content: Buffer.alloc(size, 'svc.') })
const many = (count: number) => Array.from({ length: count }, (_, index) => file(`${String(index)}.txt`, 1))
const objects = async (): Promise<number> => (await site.objects()).length
let before: number
beforeEach(async () => {
  before = await objects()
})
/** Objects of refused requests are removed before the answer. */
const expectNothingKept = async () => {
  await vi.waitFor(async () => expect(await objects()).toBe(before), { timeout: 20_000, interval: 50 })
  expectError(await site.get(ada, slug), 'not_found')
}

const post = (body: string) => site.call('POST', '/v1/packages/publish', { token: ada.token, body })

describe('JSON: 400 that names the problem, and nothing is kept', () => {
  const good = JSON.stringify(entryOf(file('a.txt')))
  const cases: [string, string, RegExp][] = [
    ['no artifact', '"artifacts":[]', /^artifacts must have at least 1 item, not 0\.$/],
    ['artifacts that are missing', '"name":"x"', /^artifacts is required/],
    ['a content that is missing', `"artifacts":[${good},{"name":"b"}]`, /^artifacts\[1\]\.content is required/],
    ['a content of another type', `"artifacts":[${good},{"name":"b","content":5}]`, /^artifacts\[1\]\.content must be/],
    ['a name that is missing', `"artifacts":[${good},{"content":""}]`, /^artifacts\[1\]\.name is required/],
    [
      'an unknown field',
      `"artifacts":[${good},{"name":"b","content":"","mode":1}]`,
      /^artifacts\[1\]\.mode is not known/,
    ],
    [
      'characters that are not base64',
      `"artifacts":[${good},{"name":"b","content":"YQ-_"}]`,
      /^artifacts\[1\]\.content must be base64/,
    ],
    [
      'base64 that is not complete',
      `"artifacts":[{"name":"b","content":"YWJjZ"},${good}]`,
      /^artifacts\[0\]\.content is not complete base64/,
    ],
    ['two contents', `"artifacts":[{"name":"b","content":"","content":""}]`, /^content of artifacts may be given only/],
    ['two lists', `"artifacts":[${good}],"artifacts":[${good}]`, /^artifacts may be given only once/],
    [
      'thousands of artifacts',
      `"artifacts":[${'{"content":""},'.repeat(4_000)}{}]`,
      /^artifacts must have at most 100/,
    ],
  ]
  it.each(cases)('JSON with %s is refused with 400, and nothing is kept', async (_, artifacts, message) => {
    for (const body of [
      `{"slug":"${slug}","version":"1.0.0",${artifacts}}`,
      `{${artifacts},"slug":"${slug}","version":"1.0.0"}`,
    ]) {
      const answer = await post(body)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(message)
    }
    await expectNothingKept()
  })
})

it('JSON that ends in the second content keeps nothing', async () => {
  const first = JSON.stringify(entryOf(file('a.txt')))
  const answer = await post(`{"slug":"${slug}","version":"1.0.0","artifacts":[${first},{"name":"b","content":"YQ`)
  expectError(answer, 'bad_request')
  expect(answer.body['message']).toMatch(/^The body is not JSON/)
  await expectNothingKept()
})

describe('names and numbers: 400 in both forms', () => {
  const cases: [string, File[], RegExp][] = [
    ['one name twice', [file('a.txt'), file('b.txt'), file('a.txt')], /^artifacts has a\.txt twice/],
    ['names that differ only in case', [file('a.txt'), file('A.TXT')], /^artifacts has a\.txt and A\.TXT: names/],
    ['a hidden file', [file('.htaccess')], /^artifacts\[0\]\.name must match/],
    ['a name that is too long', [file('a.txt'), file('a'.repeat(201))], /^artifacts\[1\]\.name must match/],
    ['a name with a space', [file('a b')], /^artifacts\[0\]\.name must match/],
    ['a name beyond ASCII', [file('ä.txt')], /^artifacts\[0\]\.name must match/],
    ['an empty name', [file('')], /^artifacts\[0\]\.name must/],
    ['more than 100 artifacts', many(101), /100 (items|file parts)/],
    ['an artifact that is too large', [file('a', 100_001)], /one artifact may have 100 kB \(100000 bytes\)/],
    [
      'more bytes than the account may have',
      [file('a', 90_000), file('b', 90_000), file('c', 90_000)],
      /^artifacts is too large: the packages of the account use 0 bytes of 250 kB/,
    ],
  ]
  it.each(cases)('both forms refuse %s with 400', async (_, files, message) => {
    const form = files.map((each) => ['file', each] as const)
    for (const answer of [
      await site.publish(ada, { slug, version: '1.0.0' }, ...files),
      await site.publishForm(ada, [['slug', slug], ['version', '1.0.0'], ...form]),
      await site.publishForm(ada, [...form, ['slug', slug], ['version', '1.0.0']]),
    ]) {
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(message)
    }
    await expectNothingKept()
  })

  it.each(['../a.txt', '..', 'a/b', 'a\\b', 'a\0b', '%2e%2e'])(
    'JSON with the name %j is refused with 400',
    async (name) => {
      const answer = await site.publish(ada, { slug, version: '1.0.0' }, file(name))
      expectError(answer, 'bad_request')
      await expectNothingKept()
    },
  )

  it.each([
    '1.0',
    'v1.0.0',
    '01.0.0',
    '1.0.0-01',
    '1.0.0-',
    'latest',
    '1.0.9007199254740992',
    `1.0.0-${'a'.repeat(128)}`,
  ])('the version %j is refused with 400', async (version) => {
    const answer = await site.publish(ada, { slug, version }, file('a'))
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(/^version (must|has a number)/)
    await expectNothingKept()
  })

  it('a path in a form counts as its last part', async () => {
    const answer = await site.publishForm(ada, [
      ['slug', slug],
      ['version', '1.0.0'],
      ['x', file('../../etc/a.txt')],
    ])
    expect(dataOf(answer)['published'].artifacts).toMatchObject([{ name: 'a.txt' }])
  })

  it('a version may have 100 artifacts, empty ones too', async () => {
    const files = [...many(99), file('empty', 0)]
    const json = dataOf(await site.publish(ada, { slug, version: '1.0.0' }, ...files))['published']
    expect(json.artifacts.map(({ name, size }: { name: string; size: number }) => [name, size])).toEqual(
      files.map(({ name, content }) => [name, content.length]),
    )
    expect((await site.follow(json.artifacts[99].url)).status).toBe(200)
    const over = await site.publish(ada, { slug, version: '2.0.0' }, ...many(51))
    expect(over.body['message']).toBe(
      'artifacts has 51 items, but the account has 100 artifacts, and may have 150. Delete packages.',
    )
  })
})

describe('forms: 400, and nothing is kept', () => {
  const head = 'Content-Disposition: form-data; name="x"; filename="a.txt"\r\n\r\n'
  const slugPart = () => fieldPart('slug', slug)
  it.each<[string, () => readonly string[], RegExp]>([
    ['no file part', () => [slugPart(), fieldPart('version', '1.0.0')], /no file part: send artifacts as files, each/],
    ['artifacts as text', () => [slugPart(), fieldPart('artifacts', 'x')], /^artifacts must be a file part/],
    ['a field twice', () => [slugPart(), slugPart(), `${head}x`], /^slug may be given only once/],
    [
      'an unknown field',
      () => [slugPart(), fieldPart('version', '1.0.0'), fieldPart('a', 'b'), `${head}x`],
      /^a is not/,
    ],
    ['a missing field', () => [slugPart(), `${head}x`], /^version is required/],
  ])('a form with %s is refused with 400, and nothing is kept', async (_, parts, message) => {
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': formType }
    const answer = await send(site.url, 'POST', '/v1/packages/publish', { headers, body: formOf(...parts()) })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(message)
    await expectNothingKept()
  })
})

describe('limits', () => {
  it('the packages of an account and the versions of a package are limited', async () => {
    for (const version of ['1.0.0', '1.0.1']) dataOf(await site.publish(ada, { slug, version }, file('a')))
    dataOf(await site.publish(ada, { slug: site.newSlug(), version: '1.0.0' }, file('a')))
    const third = await site.publish(ada, { slug, version: '1.0.2' }, file('a'))
    expect(third.body['message']).toBe(`${slug} has 2 versions, and may have 2: delete one first.`)
    const other = await site.publish(ada, { slug: site.newSlug(), version: '1.0.0' }, file('a'))
    expect(other.body['message']).toBe(
      'The account has 2 packages, and may have 2: use the slug of one of them, or delete one.',
    )
  })

  it('slugs and versions are limited to twice the limit, deleted ones included', async () => {
    const publishAndDelete = async (of: string, version: string) => {
      dataOf(await site.publish(ada, { slug: of, version }, file('a')))
      dataOf(await site.post(ada, 'delete', { slug: of }))
    }
    for (const version of ['1.0.0', '1.0.1', '1.0.2', '1.0.3']) await publishAndDelete(slug, version)
    const fifth = await site.publish(ada, { slug, version: '1.0.4' }, file('a'))
    expect(fifth.body['message']).toBe(
      `${slug} has had 4 versions, deleted ones included, and may have 4: publish under another slug.`,
    )
    expectError(await site.get(ada, slug), 'not_found')
    const others = Array.from({ length: 3 }, () => site.newSlug())
    for (const other of others) await publishAndDelete(other, '1.0.0')
    const further = await site.publish(ada, { slug: site.newSlug(), version: '1.0.0' }, file('a'))
    expect(further.body['message']).toBe(
      'The account has used 4 slugs, those of deleted packages included, and may use 4: use one of them again.',
    )
    for (const other of others.slice(0, 2))
      dataOf(await site.publish(ada, { slug: other, version: '1.0.1' }, file('a')))
    const third = await site.publish(ada, { slug: others[2] ?? '', version: '1.0.1' }, file('a'))
    expect(third.body['message']).toBe(
      'The account has 2 packages, and may have 2: use the slug of one of them, or delete one.',
    )
  })

  it('parallel requests together stay within the limit of bytes, and deleting makes room', async () => {
    const sent = Array.from({ length: 4 }, (_, index) =>
      site.publish(ada, { slug: `${slug}-${String(index % 2)}`, version: `1.0.${String(index)}` }, file('a', 90_000)),
    )
    const answers = await Promise.all(sent)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400])
    for (const each of ['0', '1']) await site.post(ada, 'delete', { slug: `${slug}-${each}` })
    dataOf(await site.publish(ada, { slug, version: '1.0.0' }, file('a', 90_000), file('b', 90_000)))
  })

  it('the commit decides about the limit of bytes between processes', async () => {
    const second = await site.another()
    const body = (version: string) => ({
      slug,
      version,
      artifacts: [entryOf(file('a', 99_000)), entryOf(file('b', 99_000))],
    })
    const answers = await Promise.all(
      [site, second].map((server, index) =>
        server.call('POST', '/v1/packages/publish', { token: ada.token, body: body(`1.0.${String(index)}`) }),
      ),
    )
    await second.stop()
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

describe('clients that leave', () => {
  const begun = (body: string, type: string) =>
    `POST /v1/packages/publish HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.token}\r\nContent-Type: ${type}\r\nContent-Length: 90000\r\n\r\n${body}`

  it.each<[string, () => string]>([
    [
      'JSON',
      () =>
        begun(
          `{"slug":"${slug}","version":"1.0.0","artifacts":[${JSON.stringify(entryOf(file('a')))},{"content":"YWFh`,
          'application/json',
        ),
    ],
    [
      'a form',
      () =>
        begun(
          `--x\r\nContent-Disposition: form-data; name="x"; filename="a"\r\n\r\nhello\r\n--x\r\nContent-Disposition: form-data; name="x"; filename="b"\r\n\r\nhel`,
          formType,
        ),
    ],
  ])('a client that leaves in the second artifact of %s keeps nothing', async (_, text) => {
    const socket = connect(Number(new URL(site.url).port), '127.0.0.1')
    socket.on('error', () => socket.destroy())
    socket.write(text())
    await vi.waitFor(async () => expect(await objects()).toBeGreaterThan(before), { timeout: 20_000, interval: 20 })
    socket.destroy()
    await expectNothingKept()
  })
})

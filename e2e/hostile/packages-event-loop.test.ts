import { expect, it } from 'vitest'
import { formOf, formType } from '../../packages/server/test/byte-forms.js'
import { sqlOf } from '../stored-files.js'
import { guardedServer } from './guarded-server.js'

/** No request about packages blocks the event loop. */

const { place, send, post, expectNoGap } = guardedServer('sqlite')

const publishForm = (parts: readonly string[]) => {
  const headers = { 'content-type': formType }
  return send({ method: 'POST', path: '/v1/packages/publish', headers, body: formOf(...parts) })
}

let packages = 0
/** A new package for each attempt, because a version can be published once. */
const newSlug = () => `package-${++packages}`

const file = (name: string) => `Content-Disposition: form-data; name="f"; filename="${name}"\r\n\r\nx`
const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
const files = Array.from({ length: 100 }, (_, i) => file(`a${i}`))

it('8 parallel forms with 100 small artifacts do not block the event loop', async () => {
  await expectNoGap(async () => {
    const sent = Array.from({ length: 8 }, () =>
      publishForm([...files, field('slug', newSlug()), field('version', '1.0.0')]),
    )
    for (const answer of await Promise.all(sent)) expect(answer?.status).toBe(200)
  })
})

it.each([
  ['a form with 800 artifacts', () => publishForm(Array.from({ length: 800 }, (_, i) => file(`a${i}`)))],
  [
    'JSON with 4,000 artifacts',
    () => post('/v1/packages/publish', { artifacts: Array.from({ length: 4_000 }, () => ({ content: '' })) }),
  ],
])('%s is refused without blocking the event loop', async (_, call) => {
  await expectNoGap(async () => {
    for (const answer of await Promise.all(Array.from({ length: 8 }, call))) expect(answer?.status).toBe(400)
  })
})

it('8 parallel JSON bodies with 100 small artifacts do not block the event loop', async () => {
  const artifacts = Array.from({ length: 100 }, (_, i) => ({ name: `a${i}`, content: 'eA==' }))
  await expectNoGap(async () => {
    const sent = Array.from({ length: 8 }, () =>
      post('/v1/packages/publish', { artifacts, slug: newSlug(), version: '1.0.0' }),
    )
    for (const answer of await Promise.all(sent)) expect(answer?.status).toBe(200)
  })
})

it('a package with 10,000 artifacts is shown, and can be deleted', async () => {
  const publish = { slug: 'large', version: '1.0.0', artifacts: [{ name: 'a', content: '' }] }
  expect((await post('/v1/packages/publish', publish))?.status).toBe(200)
  const large = `(select id from package where slug = 'large')`
  const numbers = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  await sqlOf(
    place(),
    `${numbers(999)} insert into package_version (package_id, version, precedence, artifacts, downloads, published_at)
      select ${large}, '2.' || i || '.0', '2.' || i || '.0', 10, 0, 1 from n`,
  )
  await sqlOf(place(), `${numbers(9_990)} insert into blob (key, size) select 'k' || i, 0 from n`)
  await sqlOf(
    place(),
    `${numbers(9_990)} insert into package_artifact (version_id, name, size, sha256, blob_key, downloads)
      select v.id, 'artifact-' || i, 0, '${'e'.repeat(64)}', 'k' || i, 0 from n
        join package_version v on v.version = '2.' || (1 + i % 999) || '.0'`,
  )
  await expectNoGap(async () => {
    for (const answer of await Promise.all([1, 2, 3, 4].map(() => send({ method: 'GET', path: '/v1/packages/large' }))))
      expect(answer?.status).toBe(200)
  })
  expect((await post('/v1/packages/delete', { slug: 'large' }))?.status).toBe(200)
})

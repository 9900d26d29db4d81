import { afterAll, beforeAll, describe, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { expectEvent, expectNoEvent, startEventSite, type EventSite } from '../../../test/event-site.js'

describe.each(databaseKinds)('the events of packages on %s', (kind) => {
  let site: EventSite
  beforeAll(async () => {
    site = await startEventSite(kind)
  })
  afterAll(() => site.stop())

  const of = (action: string, object: string) => ({ area: 'packages', action, object })
  const artifacts = [{ name: 'one.txt', content: 'aGVsbG8=' }]
  const publish = (slug: string, version: string, details: object = {}) =>
    site.act('POST', '/v1/packages/publish', { slug, version, artifacts, ...details })

  it('shows the first version of a package, each further one, and the details that it changes', async () => {
    const published = { artifacts: 1, size: 5 }
    const first = await publish('greeter', '1.0.0')
    expectEvent(first, { ...of('package_create', 'greeter'), after: { version: '1.0.0', ...published } })
    const second = await publish('greeter', '1.1.0', { description: 'Says hello.' })
    expectEvent(second, {
      ...of('version_publish', 'greeter'),
      before: { description: '' },
      after: { description: 'Says hello.', version: '1.1.0', ...published },
    })
    expectNoEvent(await publish('greeter', '1.1.0'), 400)
  })

  it('shows new details, and nothing for the same ones', async () => {
    await publish('named', '1.0.0')
    const rename = () => site.actInConsole('POST', '/packages/update', { slug: 'named', name: 'Name' })
    const changed = { before: { name: 'named' }, after: { name: 'Name' } }
    expectEvent(await rename(), { ...of('package_change', 'named'), ...changed }, 'session')
    expectNoEvent(await rename(), 200)
  })

  it('shows a deletion with what the package had, and the package that is published again', async () => {
    await publish('gone', '1.0.0')
    const remove = () => site.act('POST', '/v1/packages/delete', { slug: 'gone' })
    const before = { name: 'gone', description: '', versions: 1, artifacts: 1, size: 5 }
    expectEvent(await remove(), { ...of('package_delete', 'gone'), before })
    expectNoEvent(await remove(), 404)
    const after = { version: '1.0.1', artifacts: 1, size: 5 }
    expectEvent(await publish('gone', '1.0.1'), { ...of('package_create', 'gone'), after })
  })

  it('shows to a token with rules its packages only, and nothing to another account', async () => {
    await site.expectOnly('packages', 'greeter', [{ kind: 'package', name: 'greeter', access: 'read' }])
    await site.expectHidden('packages')
  })
})

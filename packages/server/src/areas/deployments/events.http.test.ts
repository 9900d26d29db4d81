import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { onContent } from '../../../test/deployments.js'
import { expectEvent, expectNoEvent, startEventSite, type EventSite } from '../../../test/event-site.js'

describe.each(databaseKinds)('the events of deployments on %s', (kind) => {
  let site: EventSite
  beforeAll(async () => {
    site = await startEventSite(kind, { outboundAllow: ['127.0.0.1/32'] })
  })
  afterAll(() => site.stop())

  const of = (action: string, object: string) => ({ area: 'deployments', action, object })
  const post = (path: string, body: object) => site.act('POST', `/v1/deployments/${path}`, body)
  const created = async (body: object): Promise<number> => (await post('create', body)).data['id']
  const target = 'https://ada:password@example.com/path?token=secret#part'

  it('shows a short link, and the options that change', async () => {
    const link = { status: 302, forward_query: false, expires_at: null, max_uses: null }
    const shown = { kind: 'shortlink', enabled: true, target: 'https://example.com/path', ...link }
    const answer = await post('create', { kind: 'shortlink', slug: 'launch', target: 'https://example.com/path?a=1' })
    const { id } = expectEvent(answer, { ...of('deployment_create', 'launch'), after: shown })
    const update = () => post('update', { id, shortlink: { status: 301, expires_at: '2030-01-31T18:00:00Z' } })
    expectEvent(await update(), {
      ...of('deployment_change', 'launch'),
      before: { status: 302, expires_at: null },
      after: { kind: 'shortlink', status: 301, expires_at: '2030-01-31T18:00:00.000Z' },
    })
    expectNoEvent(await update(), 200)
    const retargeted = await post('update', { id, target: 'https://example.com/path?a=2' })
    expectEvent(retargeted, { ...of('deployment_change', 'launch'), after: { kind: 'shortlink' } })
    const remove = () => site.actInConsole('POST', '/deployments/delete', { id })
    const before = { ...shown, status: 301, expires_at: '2030-01-31T18:00:00.000Z' }
    expectEvent(await remove(), { ...of('deployment_delete', 'launch'), before }, 'session')
    expectNoEvent(await remove(), 404)
  })

  it('shows a deployment that is disabled, and nothing if it was', async () => {
    const id = await created({ kind: 'form', slug: 'contact' })
    const disable = () => post('toggle', { id, enabled: false })
    const changed = (enabled: boolean) => ({ before: { enabled: !enabled }, after: { kind: 'form', enabled } })
    expectEvent(await disable(), { ...of('deployment_change', 'contact'), ...changed(false) })
    expectNoEvent(await disable(), 200)
    expectEvent(await post('toggle', { id }), { ...of('deployment_change', 'contact'), ...changed(true) })
  })

  it('shows the pages of a form without their queries', async () => {
    const form = { next_urls: ['https://example.com/thanks?code=1'], origins: ['https://example.com'] }
    const answer = await post('create', { kind: 'form', slug: 'pages', form })
    const after = { kind: 'form', enabled: true, next_urls: ['https://example.com/thanks'], origins: form.origins }
    expectEvent(answer, { ...of('deployment_create', 'pages'), after })
  })

  it('shows only the origin of the target of a webhook, and a new secret without its value', async () => {
    const answer = await post('create', { kind: 'webhook', slug: 'hook', target: target.replace('ada:password@', '') })
    const after = { kind: 'webhook', enabled: true, target: 'https://example.com' }
    const { id, webhook } = expectEvent(answer, { ...of('deployment_create', 'hook'), after })
    const rotated = await post('rotate-secret', { id })
    const { secret } = expectEvent(rotated, of('secret_rotate', 'hook'))
    const untargeted = await post('update', { id, target: null })
    const changed = { before: { target: 'https://example.com' }, after: { kind: 'webhook', target: null } }
    expectEvent(untargeted, { ...of('deployment_change', 'hook'), ...changed })
    const shown = JSON.stringify([answer, rotated, untargeted].map(({ events }) => events))
    for (const hidden of [webhook.secret, secret, 'secret=', 'path']) expect(shown).not.toContain(hidden)
  })

  it('shows deleted submissions with their number, and none that arrives', async () => {
    const id = await created({ kind: 'form', slug: 'survey' })
    const submit = () =>
      onContent(site, 'POST', '/f/survey', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'name=Ada',
      })
    for (let n = 0; n < 3; n++) expect((await submit()).status).toBeLessThan(400)
    const removeOne = (submission_id: number) => post('submissions/delete', { id, submission_id })
    expectEvent(await removeOne(1), { ...of('submissions_delete', 'survey'), before: { count: 1 } })
    expectNoEvent(await removeOne(1), 404)
    const removeSome = () =>
      site.actInConsole('POST', '/deployments/submissions/delete-several', { id, submission_ids: [1, 2, 3] })
    expectEvent(await removeSome(), { ...of('submissions_delete', 'survey'), before: { count: 2 } }, 'session')
    expectNoEvent(await removeSome(), 200)
  })

  it('shows requests that are sent again', async () => {
    const id = await created({ kind: 'webhook', slug: 'again', target: 'http://127.0.0.1:1024/' })
    expect((await onContent(site, 'POST', '/h/again', { body: 'hello' })).status).toBe(200)
    const answer = await post('requests/redeliver', { id, request_id: 1 })
    expectEvent(answer, { ...of('requests_redeliver', 'again'), after: { id: 1, count: 1 } })
    await site.sql('update webhook_delivery set failing_since = 1, due_at = null')
    const all = await site.actInConsole('POST', '/deployments/requests/redeliver-failed', { id })
    expectEvent(all, { ...of('requests_redeliver', 'again'), after: { count: 1 } }, 'session')
    expectNoEvent(await post('requests/redeliver', { id, request_id: 2 }), 404)
  })

  it('has no event of a request that is refused', async () => {
    const id = await created({ kind: 'form', slug: 'refused' })
    expectNoEvent(await post('update', { id, target: 'https://example.com/' }), 400)
    expectNoEvent(await post('rotate-secret', { id }), 400)
    expectNoEvent(await post('create', { kind: 'form', slug: 'refused' }), 400)
  })

  it('shows to a token with rules its deployments only, and nothing to another account', async () => {
    await site.expectOnly('deployments', 'survey', [{ kind: 'deployment', name: 'survey', access: 'read' }])
    await site.expectHidden('deployments')
  })
})

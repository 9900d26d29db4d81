import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { onContent } from '../../../../test/deployments.js'
import { startSite, type Site } from '../../../../test/site.js'
import { unsubscribeLinks } from '../../../ports/mail/unsubscribe/links.js'

describe.each(databaseKinds)('the link that switches off e-mails on %s', (kind) => {
  let site: Site
  let path: string
  beforeAll(async () => {
    site = await startSite(kind)
    const ada = await site.account('ada@example.com')
    path = `/unsubscribe/${await unsubscribeLinks(site.app.database).keyFor(ada.id, 'new-browser')}`
  })
  afterAll(() => site.stop())

  const call = (method: string, target = path, body?: string) =>
    onContent(site, method, target, {
      ...(body !== undefined && { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    })
  const optOuts = () => site.sql('select kind from mail_opt_out')

  it('shows a page with a button at GET, and changes nothing', async () => {
    const { status, text, headers } = await call('GET')
    expect(status).toBe(200)
    expect(text).toContain('You get e-mails about sign-ins from a new browser.')
    expect(text).toContain('<form method="post"><button>Switch off</button></form>')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect((await call('HEAD')).status).toBe(200)
    expect(await optOuts()).toEqual([])
  })

  it('switches off the kind at POST, from the page and from a mail program, as often as it is sent', async () => {
    for (const body of ['', 'List-Unsubscribe=One-Click']) {
      const { status, text } = await call('POST', path, body)
      expect(status).toBe(200)
      expect(text).toContain('You get no more e-mails about sign-ins from a new browser.')
      expect(await optOuts()).toEqual([{ kind: 'new-browser' }])
    }
  })

  it.each(['/unsubscribe/x', '/unsubscribe/1.new-browser.AAAA'])('404 for %s', async (target) => {
    for (const method of ['GET', 'POST']) expect((await call(method, target)).status).toBe(404)
  })
})

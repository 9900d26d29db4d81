import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { onContent } from '../../../../test/deployments.js'
import { smtpAt, startMailServer, type MailServer } from '../../../../test/mail-server.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'

/** The e-mails that accounts get, and what they switch off. */

describe.each(databaseKinds)('notices on %s', (kind) => {
  let server: MailServer
  let site: Site
  let ada: Browser
  beforeAll(async () => {
    server = await startMailServer()
    site = await startSite(kind, { mail: smtpAt(server.port), trustProxy: ['127.0.0.1'] })
    await site.account('ada@example.com')
    ada = await site.browser('ada@example.com', { headers: { 'user-agent': 'Firefox <b>' } })
  })
  afterAll(async () => {
    await site.stop()
    await server.stop()
  })

  const arrived = (count: number) => vi.waitUntil(() => server.mails.length >= count, 30_000)
  const choose = (notice: string, isWanted: boolean) =>
    ada.call('POST', '/account/notices', { body: { kind: notice, by_email: isWanted } })

  it('tells the owner of a sign-in from a new browser, and not of one from a known browser', async () => {
    await arrived(1)
    const [mail] = server.mails
    expect(mail).toMatchObject({ to: { text: 'ada@example.com' }, subject: expect.stringMatching(/^New sign-in at /) })
    expect(mail?.text).toContain('Address: 127.0.0.1')
    expect(mail?.text).toContain('Browser: Firefox <b>')
    expect(String(mail?.html)).toContain('Firefox &lt;b&gt;')
    const events = async () => Number((await site.sql(`select events from mail_message`))[0]?.['events'])
    const answer = await site.signIn('ada@example.com')
    expect(await events()).toBe(1)
    const cookie = answer.headers
      .getSetCookie()
      .map((header) => header.split(';', 1)[0])
      .join('; ')
    expect((await site.signIn('ada@example.com', { headers: { cookie } })).status).toBe(200)
    expect(await events()).toBe(1)
  })

  it('tells the owner of a submission of a form, with its texts', async () => {
    const { body } = await ada.call('POST', '/deployments/create', { body: { kind: 'form' } })
    const { id, slug } = body['data'] as { id: number; slug: string }
    const before = server.mails.length
    const fields = Array.from({ length: 25 }, (_, i) => `f${String(i)}=${'x'.repeat(400)}`).join('&')
    const submit = (text: string) =>
      onContent(site, 'POST', `/f/${slug}`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: text,
      })
    await submit('_gotcha=spam&a=1')
    expect((await submit(`name=Eve%00`)).status).toBe(400)
    expect((await submit(`_subject=Hello&name=<Eve>&${fields}`)).status).toBe(200)
    await arrived(before + 1)
    const mail = server.mails.at(-1)
    expect(mail?.subject).toBe(`New submission of the form ${slug}`)
    expect(mail?.text).toContain('Subject: Hello')
    expect(mail?.text).toContain('name: <Eve>')
    expect(mail?.text).toContain('Only the first 20 fields are shown.')
    expect(mail?.text).toContain(`/console/deployments/${String(id)}`)
    expect(String(mail?.html)).toContain('&lt;Eve&gt;')
    expect((await submit('name=again')).status).toBe(200)
    expect(server.mails).toHaveLength(before + 1)
  })

  it('switches each kind off and on', async () => {
    const list = async () => (await ada.call('GET', '/account/notices')).body['data']
    expect(await list()).toEqual({
      available: true,
      notices: [
        { kind: 'form-submission', what: 'submissions of your forms', by_email: true },
        { kind: 'domain-expiry', what: 'domains that expire', by_email: true },
        { kind: 'certificate-failure', what: 'certificates that cannot be ordered', by_email: true },
        { kind: 'delivery-failure', what: 'webhooks whose deliveries fail', by_email: true },
        { kind: 'new-browser', what: 'sign-ins from a new browser', by_email: true },
      ],
    })
    expect((await choose('new-browser', false)).body['data']).toMatchObject({ kind: 'new-browser', by_email: false })
    expect((await list()).notices.map(({ by_email: isOn }: { by_email: boolean }) => isOn)).toEqual([
      ...[true, true, true, true],
      false,
    ])
    await site.sql('delete from mail_message')
    await site.signIn('ada@example.com')
    expect(await site.sql('select * from mail_message')).toEqual([])
    await choose('new-browser', true)
    expect((await list()).notices.at(-1)).toMatchObject({ by_email: true })
    expect((await choose('password-reset', false)).status).toBe(400)
  })
})

it('without a mail server, everything works, and the list says so', async () => {
  const site = await startSite('sqlite')
  await site.account('ada@example.com')
  const ada = await site.browser('ada@example.com')
  expect((await ada.call('GET', '/account/notices')).body['data'].available).toBe(false)
  expect(await site.sql('select * from mail_message')).toEqual([])
  await site.stop()
})

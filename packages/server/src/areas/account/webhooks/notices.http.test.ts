import { describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { smtpAt, startMailServer } from '../../../../test/mail-server.js'
import { startSite } from '../../../../test/site.js'
import { startTarget } from '../../../../test/target-server.js'
import { webhookNotices } from './notices.js'

const day = 86_400_000

describe.each(databaseKinds)('the e-mails about webhooks on %s', (kind) => {
  it('tell the owner of a webhook that has failed for a day, once', async () => {
    const [mail, target] = [await startMailServer(), await startTarget()]
    const site = await startSite(kind, { outboundAllow: ['127.0.0.1/32'], mail: smtpAt(mail.port) })
    try {
      target.answer = () => 500
      const token = await site.token(await site.account('ada@example.com'), 'account:write')
      await site.call('POST', '/v1/account/webhooks', { token, body: { url: target.url } })
      await site.call('POST', '/v1/account/profile', { token, body: { field: 'nickname', value: 'failed' } })
      const failing = () => site.sql('select failing_since is not null as failing from account_webhook_delivery')
      await vi.waitUntil(async () => Boolean((await failing())[0]?.['failing']), 30_000)
      await site.sql(`update account_webhook_delivery set failing_since = ${String(Date.now() - day - 60_000)}`)
      const { jobs } = webhookNotices(site.app.database, { isOn: true, wake: () => undefined }, site.url)
      for (let i = 0; i < 2; i++) await jobs[0]?.run(new AbortController().signal)
      await vi.waitUntil(() => mail.mails.length > 0, 30_000)
      const about = mail.mails.filter(({ subject }) => subject?.includes('does not take the events'))
      expect(about).toHaveLength(1)
      expect(about[0]?.subject).toBe(`${new URL(target.url).host} does not take the events of your account`)
      expect(about[0]?.text).toContain('Failed events: 1')
      expect(about[0]?.text).toContain('/console/activity/webhooks')
      expect(about[0]?.text).not.toContain('/hook')
    } finally {
      await site.stop()
      await mail.stop()
      await target.stop()
    }
  })
})

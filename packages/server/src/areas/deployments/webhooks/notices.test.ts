import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { onContent, startDeployments, type Deployments } from '../../../../test/deployments.js'
import { deliveryNotices } from './notices.js'

const day = 86_400_000

describe.each(databaseKinds)('e-mails about webhooks whose deliveries fail on %s', (kind) => {
  let site: Deployments
  beforeAll(async () => {
    site = await startDeployments(kind)
  })
  afterAll(() => site.stop())

  it('come a day after the first failure, one for each webhook', async () => {
    const { id, slug } = await site.create({ kind: 'webhook', target: 'https://target.invalid/x' })
    for (let i = 0; i < 2; i++) await onContent(site, 'POST', `/h/${slug}`, { body: 'x' })
    const outbox = { isOn: true, wake: () => undefined }
    const { jobs, mails } = deliveryNotices(site.app.database, outbox, 'https://svc.test')
    const run = () => jobs[0]?.run(new AbortController().signal)
    const topics = async () => (await site.sql('select topic from mail_message')).map((row) => Number(row['topic']))
    await run()
    expect(await topics()).toEqual([])
    await site.sql(`update webhook_delivery set failing_since = ${String(Date.now() - 2 * day)}`)
    await run()
    await run()
    expect(await topics()).toEqual([id])

    const [{ account_id: owner } = {}] = await site.sql('select account_id from mail_message')
    const compose = (accountId = Number(owner)) =>
      mails['delivery-failure']!({ accountId, topic: String(id), recipient: '' })
    expect(await compose()).toMatchObject({
      title: `Deliveries of the webhook ${slug} fail`,
      facts: [
        ['Failed requests', '2'],
        ['Since', expect.anything()],
      ],
      action: { url: `https://svc.test/console/deployments/${String(id)}` },
    })
    expect(await compose(9_999)).toBeUndefined()
    await site.sql('update webhook_delivery set failing_since = null')
    expect(await compose()).toBeUndefined()
  })
})

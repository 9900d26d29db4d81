import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { expectEvent, expectNoEvent, startEventSite, type EventSite } from '../../../test/event-site.js'

describe.each(databaseKinds)('the events of forwarder keys and messages on %s', (kind) => {
  let site: EventSite
  beforeAll(async () => {
    site = await startEventSite(kind)
  })
  afterAll(() => site.stop())

  const of = (action: string, object: string) => ({ area: 'sms', action, object })
  const create = (label: string, fields: object = {}) => site.act('POST', '/v1/sms/keys', { label, ...fields })
  const setSigningKey = (id: number, signing_key: string | null) =>
    site.act('POST', '/v1/sms/keys/signing-key', { id, signing_key })
  const secret = 'k8Yz2QpWaXc3'

  it('shows a key with its label, without its value and its signing key', async () => {
    const answer = await create('Phone', { signing_key: secret })
    const after = { id: expect.any(Number), label: 'Phone', has_signing_key: true }
    const { key, prefix } = expectEvent(answer, { ...of('key_create', 'Phone'), after })
    for (const hidden of [key, prefix, secret]) expect(JSON.stringify(answer.events)).not.toContain(hidden)
  })

  it('shows that a signing key is set, replaced and removed, and nothing if there is none', async () => {
    const id: number = (await create('Signed')).data['id']
    const changed = (before: boolean, after: boolean) => ({
      ...of('key_change', 'Signed'),
      before: { id, has_signing_key: before },
      after: { id, has_signing_key: after },
    })
    expectNoEvent(await setSigningKey(id, null), 200)
    expectEvent(await setSigningKey(id, secret), changed(false, true))
    expectEvent(await setSigningKey(id, 'another'), changed(true, true))
    expectEvent(await setSigningKey(id, null), changed(true, false))
  })

  it('shows a revocation in the console', async () => {
    const id: number = (await create('Lost')).data['id']
    const before = { id, label: 'Lost', has_signing_key: false }
    const revoke = () => site.actInConsole('DELETE', `/sms/keys?id=${String(id)}`)
    expectEvent(await revoke(), { ...of('key_revoke', 'Lost'), before }, 'session')
    expectNoEvent(await revoke(), 404)
  })

  it('shows deleted messages as one event with their number, and no message that arrives', async () => {
    const { key } = (await create('Texts')).data
    for (const text of ['one', 'two']) {
      const body = { from: '+491701', text }
      expectNoEvent(await site.act('POST', `/sms/${String(key)}`, body), 200)
    }
    const { messages } = (await site.act('GET', '/v1/sms/messages')).data as { messages: { id: number }[] }
    const remove = () => site.actInConsole('POST', '/sms/messages/delete', { ids: messages.map(({ id }) => id) })
    expectEvent(await remove(), { ...of('messages_delete', ''), before: { count: 2 } }, 'session')
    expectNoEvent(await remove(), 200)
  })

  it('shows nothing to another account', () => site.expectHidden('sms'))
})

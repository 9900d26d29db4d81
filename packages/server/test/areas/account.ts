import { randomUUID } from 'node:crypto'
import { areas, consoleAreas } from '@svc/contract'
import { accountStore } from '../../src/areas/account/accounts/store.js'
import { passwordResetStore } from '../../src/areas/account/password-reset/store.js'
import { tokenStore } from '../../src/areas/account/tokens/store.js'
import { optInTo } from '../../src/ports/mail/unsubscribe/opt-out-store.js'
import { queuedMail, queueMailAlone } from '../../src/ports/mail/outbox/queue-store.js'
import { passwordOf } from '../app.js'
import type { Scene } from '../walk/scene.js'
import { unusedId, type AreaParts } from './area-parts.js'

const key = async ({ app }: Scene, account: Scene['owner']) => ({
  body: { id: (await tokenStore(app.database).create(account, randomUUID(), ['dns:read'])).id },
})

/** Messages about the fields of a key. */
const keyRules =
  /^((name|expires_at|networks) (must|".*" is taken)|rules(\[\d+\]\.\w+(\[\d+\])?)? (must|is only for)|update_key needs |The host and the zone )/

/** A webhook of the account, which has no other one. */
async function webhook(scene: Scene, account: Scene['owner']) {
  const token = await scene.token(account, 'account:write')
  const listed = await scene.call('GET', '/v1/account/webhooks', { token })
  for (const { id } of listed.body['data'].webhooks)
    await scene.call('POST', '/v1/account/webhooks/delete', { token, body: { id } })
  const made = await scene.call('POST', '/v1/account/webhooks', {
    token,
    body: areas.account.webhookCreate.example.body,
  })
  if (made.status !== 200) throw new Error(made.text)
  return { id: made.body['data'].webhook.id as number }
}

const webhookBody = {
  works: async (scene: Scene) => ({ body: await webhook(scene, scene.owner) }),
  foreign: async (scene: Scene) => ({ body: await webhook(scene, scene.stranger) }),
  missing: { body: { id: unusedId } },
}

const webhookRules = /^(url must|events must have areas|The account has 10 webhooks|The webhook is paused)/

const session = async (scene: Scene, account: Scene['owner']) => ({ body: { id: (await scene.session(account)).id } })

export const accountParts: AreaParts = {
  setUps: {
    'account.sessionRevoke': {
      works: (scene) => session(scene, scene.owner),
      foreign: (scene) => session(scene, scene.stranger),
      missing: { body: { id: unusedId } },
    },
    'account.sessionRevokeAll': {
      works: async (scene) => {
        await scene.session(scene.owner)
        return {}
      },
    },
    'account.profileUpdate': {
      works: async () => ({ body: { field: 'nickname', value: randomUUID() } }),
      rules: /^value must (have at most 64 characters|not contain control characters)/,
    },

    'account.noticeUpdate': {
      works: async ({ app, owner }) => {
        await optInTo(app.database, owner.id, areas.account.noticeUpdate.example.body.kind, owner.actor)
        return {}
      },
    },
    'account.webhookCreate': {
      works: async (scene) => {
        const { id } = await webhook(scene, scene.owner)
        const token = await scene.token(scene.owner, 'account:write')
        await scene.call('POST', '/v1/account/webhooks/delete', { token, body: { id } })
        return {}
      },
      rules: webhookRules,
    },
    'account.webhookUpdate': {
      ...webhookBody,
      works: async (scene) => ({ body: { ...(await webhook(scene, scene.owner)), enabled: false, new_secret: true } }),
      rules: webhookRules,
    },
    'account.webhookDelete': webhookBody,
    'account.webhookTest': { ...webhookBody, rules: webhookRules },
    'account.webhookDeliveries': {
      works: async (scene) => ({ query: await webhook(scene, scene.owner) }),
      foreign: async (scene) => ({ query: await webhook(scene, scene.stranger) }),
      missing: { query: { id: unusedId } },
    },

    'setup.create': {
      worksAlone: async ({ app, owner, stranger }) => {
        for (const account of [owner, stranger]) await accountStore(app.database).removeAdded(account)
        return { body: { ...consoleAreas.setup.create.example.body, code: await app.issueSetupCode() } }
      },
      // The server has accounts.
      foreign: async () => ({}),
    },

    'session.signIn': {
      works: async ({ owner }) => ({ body: { email: owner.email, password: passwordOf(owner.email) } }),
      // The foreign thing here is the page that sent the request.
      foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
    },

    'session.resetRequest': { foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }) },
    'session.reset': {
      works: async ({ app, owner }) => {
        const token = randomUUID()
        const now = Date.now()
        const terms = { accountId: owner.id, email: owner.email, expiresAt: now + 60_000, now }
        await passwordResetStore(app.database).add(token, terms)
        return { body: { token, password: passwordOf(owner.email) } }
      },
      foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
      rules: /^(The link does not work any more|password must have)/,
    },

    'session.changePassword': {
      works: async ({ owner }) => ({
        body: { current_password: passwordOf(owner.email), password: passwordOf(owner.email) },
      }),
      foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
      rules: /^(The current password is wrong|Too many sign-ins|password must have)/,
    },
    'session.enterPassword': {
      works: async ({ owner }) => ({ body: { password: passwordOf(owner.email) } }),
      foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
      rules: /^(The password is wrong|Too many sign-ins)/,
    },
    'session.changeEmail': {
      worksAlone: async ({ owner }) => ({
        body: { current_password: passwordOf(owner.email), email: `new-${owner.email}` },
      }),
      foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
      rules: /^(The current password is wrong|Too many sign-ins|email must)/,
    },
    'session.deleteAccount': {
      worksAlone: async ({ owner }) => ({ body: { password: passwordOf(owner.email), email: owner.email } }),
      foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
      rules: /^(The password is wrong|Too many sign-ins|email must be the email of the account)/,
    },

    'keys.create': { rules: keyRules },
    'keys.createTsig': { rules: keyRules },
    'keys.update': {
      works: async (scene) => {
        const { body } = await key(scene, scene.owner)
        return { body: { ...body, paused: true } }
      },
      foreign: (scene) => key(scene, scene.stranger),
      missing: { body: { id: unusedId } },
      rules: keyRules,
    },
    'keys.rotate': {
      works: (scene) => key(scene, scene.owner),
      foreign: (scene) => key(scene, scene.stranger),
      missing: { body: { id: unusedId } },
    },
    'keys.revoke': {
      works: (scene) => key(scene, scene.owner),
      foreign: (scene) => key(scene, scene.stranger),
      missing: { body: { id: unusedId } },
    },
  },
  fill: async ({ api, sql, account, app }) => {
    await api('POST', '/account/profile', areas.account.profileUpdate.example.body)
    const { webhook: made } = await api('POST', '/account/webhooks', areas.account.webhookCreate.example.body)
    await sql(`insert into account_webhook_delivery
      (webhook_id, event_id, account_id, host, state, attempts, updated_at)
      values (${String(made.id)}, 1, ${String(account.id)}, 'hooks.example.com', 'waiting', 0, 1)`)
    await sql(`insert into mail_opt_out (account_id, kind) values (${String(account.id)}, 'new-browser')`)
    const [accountId, now] = [account.id, Date.now()]
    const terms = { accountId, email: account.email, expiresAt: now + 60_000, now }
    await passwordResetStore(app.database).add(randomUUID(), terms)
    const content = { title: 'A form was sent', paragraphs: [] }
    await queueMailAlone(app.database, queuedMail({ accountId, kind: 'form-submission', topic: '1', content }))
  },
}

import { formStore } from '../../src/areas/deployments/forms/form-store.js'
import { randomSlug } from '../../src/areas/deployments/slug.js'
import { deploymentStore } from '../../src/areas/deployments/store.js'
import { deliveryStore } from '../../src/areas/deployments/webhooks/delivery-store.js'
import { receiveStore } from '../../src/areas/deployments/webhooks/receive-store.js'
import { createSecret } from '../../src/ports/outbound/deliveries/signature.js'
import type { Account } from '../../src/shared/account.js'
import type { Scene } from '../walk/scene.js'
import { unusedId, type Accounts, type AreaParts, type SetUp } from './area-parts.js'

/** The set-ups of forms, webhooks and short links. */

/** A form of the account. @returns its id */
async function deployment(scene: Accounts, account: Account, kind = 'form', target?: string): Promise<number> {
  const token = await scene.token(account, 'deploy:write')
  const made = await scene.call('POST', '/v1/deployments/create', { token, body: { kind, target } })
  return made.body['data'].id
}

const shortLink = (scene: Scene, account: Scene['owner']) =>
  deployment(scene, account, 'shortlink', 'https://example.com/')

/** @param fields beyond the id */
const onDeployment = (fields: object = {}): SetUp => ({
  works: async (scene) => ({ body: { ...fields, id: await shortLink(scene, scene.owner) } }),
  foreign: async (scene) => ({ body: { ...fields, id: await shortLink(scene, scene.stranger) } }),
  missing: { body: { ...fields, id: unusedId } },
})

const onlyForms = /^id names a \w+: only forms/

const inFormPath: SetUp = {
  works: async (scene) => ({ params: { id: await submittedForm(scene, scene.owner) } }),
  foreign: async (scene) => ({ params: { id: await deployment(scene, scene.stranger) } }),
  missing: { params: { id: unusedId } },
  rules: onlyForms,
}

/** A form of the account with one submission. @returns its id */
async function submittedForm(scene: Accounts, account: Account): Promise<number> {
  const id = await deployment(scene, account)
  const fields = JSON.stringify({ email: 'ada@example.com', topic: ['sales', 'support'] })
  const row = { formId: id, receivedAt: Date.now(), network: '192.0.2.0/24', userAgent: '', subject: null }
  await formStore(scene.app.database).store({ ...row, size: fields.length, fields })
  return id
}

/** A webhook of the account with one request. Its target is refused when it is delivered. @returns its id */
async function usedWebhook({ app: { database } }: Accounts, account: Account): Promise<number> {
  const made = await deploymentStore(database, 0, () => undefined).create(account, {
    kind: 'webhook',
    slug: randomSlug('webhook'),
    isEnabled: true,
    target: 'http://127.0.0.1:1024/',
    settings: '{}',
    secret: createSecret(),
    expiresAt: null,
    maxUses: null,
  })
  if (made === undefined) throw new Error('The slug is taken.')
  await receiveStore(database).receive(made.id, {
    receivedAt: Date.now(),
    method: 'POST',
    path: '',
    query: '',
    ip: '192.0.2.1',
    contentType: null,
    headers: '["Accept","*/*"]',
    body: Buffer.from('{}'),
    isTruncated: false,
    isLoop: false,
  })
  return made.id
}

/** The same, with a delivery that has been given up. */
async function failingWebhook(scene: Accounts, account: Account): Promise<number> {
  const id = await usedWebhook(scene, account)
  const outcome = {
    state: 'failed',
    dueAt: null,
    status: null,
    error: 'The target refused.',
    pausedUntil: null,
  } as const
  const delivery = { webhookId: id, requestId: 1, accountId: account.id, host: '127.0.0.1:1024', attempts: 0 }
  await deliveryStore(scene.app.database).saveOutcome(delivery, outcome, null)
  return id
}

const inWebhookPath: SetUp = {
  works: async (scene) => ({ params: { id: await usedWebhook(scene, scene.owner), request_id: 1 } }),
  foreign: async (scene) => ({ params: { id: await usedWebhook(scene, scene.stranger), request_id: 1 } }),
  missing: { params: { id: unusedId, request_id: 1 } },
  rules: /^id must be the id of a webhook/,
}

/** The rules of a list that is limited to days. */
const inDays = ({ rules }: SetUp): RegExp => new RegExp(`${rules?.source ?? '^$'}|^(since|until) must be a day`)

const deploymentRules = /^(kind|slug|target|form|shortlink)\b/

export const deploymentParts: AreaParts = {
  setUps: {
    'deployments.toggle': onDeployment(),
    'deployments.delete': onDeployment(),
    'deployments.create': {
      works: async () => ({ body: { kind: 'shortlink', target: 'https://example.com/' } }),
      rules: deploymentRules,
    },
    'deployments.update': { ...onDeployment({ shortlink: { forward_query: true } }), rules: deploymentRules },
    'deployments.get': inFormPath,
    'deployments.uses': inFormPath,
    'deployments.recentUses': inFormPath,
    'deployments.submissions': { ...inFormPath, rules: inDays(inFormPath) },
    'deployments.submissionsExport': inFormPath,
    'deployments.submissionDelete': {
      works: async (scene) => ({ body: { id: await submittedForm(scene, scene.owner), submission_id: 1 } }),
      foreign: async (scene) => ({ body: { id: await deployment(scene, scene.stranger), submission_id: 1 } }),
      missing: async (scene) => ({ body: { id: await deployment(scene, scene.owner), submission_id: 1 } }),
      rules: onlyForms,
    },
    'deployments.submissionsDelete': {
      works: async (scene) => ({ body: { id: await submittedForm(scene, scene.owner), submission_ids: [1, 2] } }),
      foreign: async (scene) => ({ body: { id: await deployment(scene, scene.stranger), submission_ids: [1] } }),
      missing: { body: { id: unusedId, submission_ids: [1] } },
      rules: onlyForms,
    },

    'deployments.requests': { ...inWebhookPath, rules: inDays(inWebhookPath) },
    'deployments.request': inWebhookPath,
    'deployments.redeliver': {
      works: async (scene) => ({ body: { id: await usedWebhook(scene, scene.owner), request_id: 1 } }),
      foreign: async (scene) => ({ body: { id: await usedWebhook(scene, scene.stranger), request_id: 1 } }),
      missing: async (scene) => ({ body: { id: await usedWebhook(scene, scene.owner), request_id: 2 } }),
      rules: /^id (must be the id of|is) a webhook/,
    },
    'deployments.redeliverFailed': {
      works: async (scene) => ({ body: { id: await failingWebhook(scene, scene.owner) } }),
      foreign: async (scene) => ({ body: { id: await usedWebhook(scene, scene.stranger) } }),
      missing: { body: { id: unusedId } },
      rules: /^id (must be the id of|is) a webhook/,
    },
    'deployments.rotateSecret': {
      works: async (scene) => ({ body: { id: await usedWebhook(scene, scene.owner) } }),
      foreign: async (scene) => ({ body: { id: await usedWebhook(scene, scene.stranger) } }),
      missing: { body: { id: unusedId } },
      rules: /^id must be the id of a webhook/,
    },
  },
  fill: async (filling) => {
    await submittedForm(filling, filling.account)
    const webhook = await usedWebhook(filling, filling.account)
    // Of the request, which is delivered later.
    await filling.sql(`insert into webhook_attempt (deployment_id, request_id, slot, started_at, duration_ms)
      values (${String(webhook)}, 1, 7, 1, 1)`)
    const link = { kind: 'shortlink', slug: `kept-${filling.name}`, target: 'https://example.com/' }
    await filling.api('POST', '/deployments/create', link)
  },
}

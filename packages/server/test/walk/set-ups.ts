import { tokenStore } from '../../src/areas/account/tokens/store.js'
import { passwordOf } from '../app.js'
import { formStore } from '../../src/areas/deployments/forms/form-store.js'
import { randomSlug } from '../../src/areas/deployments/slug.js'
import { deploymentStore } from '../../src/areas/deployments/store.js'
import { receiveStore } from '../../src/areas/deployments/webhooks/receive-store.js'
import { createSecret } from '../../src/areas/deployments/webhooks/signature.js'
import type { Scene } from './scene.js'
import { unusedId, zone, type SetUp } from './set-up.js'
import { siteSetUps } from './site-set-ups.js'

export type { SetUp } from './set-up.js'

/** Preparations for the calls of an operation, and the messages of its rules. Operations without either are not listed. */

const key = async ({ app }: Scene, account: Scene['owner']) => ({
  body: { id: (await tokenStore(app.database).create(account, 'key', ['dns:read'])).id },
})

const session = async (scene: Scene, account: Scene['owner']) => ({ body: { id: (await scene.session(account)).id } })

/** A record in a zone of the account. */
async function record(scene: Scene, account: Scene['owner']): Promise<{ zone: string; id: string }> {
  const params = await zone(scene, account)
  const made = await scene.call('POST', `/v1/dns/zones/${params.zone}/records`, {
    token: await scene.token(account, 'dns:write'),
    body: { type: 'A', host: 'www', value: '192.0.2.1' },
  })
  return { ...params, id: String(made.body['data'].id) }
}

const inZone: SetUp = {
  works: async (scene) => ({ params: await zone(scene, scene.owner) }),
  foreign: async (scene) => ({ params: await zone(scene, scene.stranger) }),
}

const onRecord: SetUp = {
  works: async (scene) => ({ params: await record(scene, scene.owner) }),
  foreign: async (scene) => ({ params: await record(scene, scene.stranger) }),
  missing: async (scene) => ({ params: { ...(await zone(scene, scene.owner)), id: String(unusedId) } }),
}

/** A file of the account. @returns its id */
async function file(scene: Scene, account: Scene['owner'], isShared = false): Promise<number> {
  const made = await scene.call('POST', '/v1/files/upload', {
    token: await scene.token(account, 'files:write'),
    body: { name: 'notes.txt', content: 'aGVsbG8=', shared: isShared },
  })
  return made.body['data'].id
}

/** An upload of the account whose only part is `hello`. @returns its id */
async function upload(scene: Scene, account: Scene['owner']): Promise<number> {
  const made = await scene.call('POST', '/v1/files/upload-chunk', {
    token: await scene.token(account, 'files:write'),
    body: { index: 0, content: 'aGVsbG8=' },
  })
  return made.body['data'].upload_id
}

let packages = 0

/** The first version of a new package. */
const newPackage = () => ({
  ...{ slug: `walk-${String(++packages)}`, version: '1.0.0' },
  artifacts: [{ name: 'greeter.txt', content: 'aGVsbG8=' }],
})

/** A package of the account, with one version. */
async function publishedPackage(scene: Scene, account: Scene['owner']): Promise<{ slug: string }> {
  const body = newPackage()
  await scene.call('POST', '/v1/packages/publish', { token: await scene.token(account, 'packages:write'), body })
  return { slug: body.slug }
}

const onPackage: SetUp = {
  works: async (scene) => ({ body: await publishedPackage(scene, scene.owner) }),
  foreign: async (scene) => ({ body: await publishedPackage(scene, scene.stranger) }),
  missing: { body: { slug: 'unused' } },
}

/** @param fields beyond the id */
const onFile = (isShared: boolean, fields: object = {}): SetUp => ({
  works: async (scene) => ({ body: { ...fields, id: await file(scene, scene.owner, isShared) } }),
  foreign: async (scene) => ({ body: { ...fields, id: await file(scene, scene.stranger, isShared) } }),
  missing: { body: { ...fields, id: unusedId } },
})

/** A form of the account. @returns its id */
async function deployment(scene: Scene, account: Scene['owner'], kind = 'form', target?: string): Promise<number> {
  const { cookie } = await scene.session(account)
  const made = await scene.call('POST', '/console/api/deployments/create', {
    headers: { cookie, origin: scene.url },
    body: { kind, target },
  })
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

const inFormPath: SetUp = {
  works: async (scene) => ({ params: { id: await submittedForm(scene) } }),
  foreign: async (scene) => ({ params: { id: await deployment(scene, scene.stranger) } }),
  missing: { params: { id: unusedId } },
}

/** A form of the owner with one submission. @returns its id */
async function submittedForm(scene: Scene): Promise<number> {
  const id = await deployment(scene, scene.owner)
  const fields = JSON.stringify({ email: 'ada@example.com', topic: ['sales', 'support'] })
  const row = { formId: id, receivedAt: 1, network: '192.0.2.0/24', userAgent: '', subject: null }
  await formStore(scene.app.database).store({ ...row, size: fields.length, fields })
  return id
}

/** A webhook of the account with one request. Its target is refused when it is delivered. @returns its id */
async function usedWebhook({ app: { database } }: Scene, account: Scene['owner']): Promise<number> {
  const made = await deploymentStore(database, 0, () => undefined).create(account, {
    ...{ kind: 'webhook', slug: randomSlug('webhook'), isEnabled: true, target: 'http://127.0.0.1:9/', settings: '{}' },
    ...{ secret: createSecret(), expiresAt: null, maxUses: null },
  })
  if (made === undefined) throw new Error('The slug is taken.')
  await receiveStore(database).receive(made.id, {
    ...{ receivedAt: Date.now(), method: 'POST', path: '', query: '', ip: '192.0.2.1', contentType: null },
    ...{ headers: '["Accept","*/*"]', body: Buffer.from('{}'), isTruncated: false },
  })
  return made.id
}

const inWebhookPath: SetUp = {
  works: async (scene) => ({ params: { id: await usedWebhook(scene, scene.owner), request_id: 1 } }),
  foreign: async (scene) => ({ params: { id: await usedWebhook(scene, scene.stranger), request_id: 1 } }),
  missing: { params: { id: unusedId, request_id: 1 } },
  rules: /^id must be the id of a webhook/,
}

const deploymentRules = /^(kind|slug|target|form|shortlink)\b/

const fileRules = /^name must/

const recordRules = /^(type|host|value|ttl|priority)\b/

export const setUps: Readonly<Record<string, SetUp>> = {
  // ISO 4217 reserves XTS for tests: no source has a rate for it.
  'public.fx': { missing: { query: { symbols: 'XTS' } }, rules: /^(base|symbols) must be .*ISO 4217/ },
  'public.hash': { rules: /^value must have at most 8192 bytes/ },

  'account.sessionRevoke': {
    works: (scene) => session(scene, scene.owner),
    foreign: (scene) => session(scene, scene.stranger),
    missing: { body: { id: unusedId } },
  },
  'account.profileUpdate': { rules: /^value must (have at most 64 characters|not contain control characters)/ },

  'dns.zoneClaim': { rules: /^zone\b/ },
  'dns.zoneGet': inZone,
  'dns.zoneVerify': inZone,
  'dns.zoneRelease': inZone,
  'dns.recordList': inZone,
  'dns.recordCreate': { ...inZone, rules: recordRules },
  'dns.recordGet': onRecord,
  'dns.recordUpdate': { ...onRecord, rules: recordRules },
  'dns.recordDelete': onRecord,

  'files.get': {
    works: async (scene) => ({ params: { id: await file(scene, scene.owner) } }),
    foreign: async (scene) => ({ params: { id: await file(scene, scene.stranger) } }),
    missing: { params: { id: unusedId } },
  },
  'files.download': {
    works: async (scene) => ({ query: { id: await file(scene, scene.owner) } }),
    foreign: async (scene) => ({ query: { id: await file(scene, scene.stranger) } }),
    missing: { query: { id: unusedId } },
  },
  'files.upload': { rules: /^(name must|content (.*base64|may be given only once))/ },
  'files.update': { ...onFile(false, { shared: true }), rules: fileRules },
  'files.rename': { ...onFile(false, { name: 'notes.txt' }), rules: fileRules },
  'files.delete': onFile(true),
  'files.uploadChunk': {
    foreign: async (scene) => ({
      body: { upload_id: await upload(scene, scene.stranger), index: 0, content: 'aGVsbG8=' },
    }),
    missing: { body: { upload_id: unusedId, index: 0, content: 'aGVsbG8=' } },
    rules: /^(upload_id (is required|names a finished upload)|content (.*base64|may be given only once))/,
  },
  'packages.get': {
    works: async (scene) => ({ params: await publishedPackage(scene, scene.owner) }),
    foreign: async (scene) => ({ params: await publishedPackage(scene, scene.stranger) }),
    missing: { params: { slug: 'unused' } },
  },
  'packages.publish': {
    works: () => Promise.resolve({ body: newPackage() }),
    foreign: async (scene) => ({ body: { ...newPackage(), ...(await publishedPackage(scene, scene.stranger)) } }),
    rules: /^(version .*(is published already|has a number)|artifacts( has|.*base64|.*may be given only once))/,
  },
  'packages.update': onPackage,
  'packages.delete': onPackage,
  'files.uploadFinalize': {
    works: async (scene) => ({ body: { upload_id: await upload(scene, scene.owner), name: 'notes.txt', parts: 1 } }),
    foreign: async (scene) => ({
      body: { upload_id: await upload(scene, scene.stranger), name: 'notes.txt', parts: 1 },
    }),
    missing: { body: { upload_id: unusedId, name: 'notes.txt', parts: 1 } },
    rules: /^(name must|parts is|sha256 is)/,
  },

  'cdn.config': { ...onFile(true, { edge_ttl: 3600 }), rules: /^id names a file that is not shared/ },
  'cdn.purge': { ...onFile(true), rules: /^id names a file that is not shared/ },

  'deployments.toggle': onDeployment(),
  'deployments.delete': onDeployment(),
  'deployments.create': {
    works: async () => ({ body: { kind: 'shortlink', target: 'https://example.com/' } }),
    rules: deploymentRules,
  },
  'deployments.update': { ...onDeployment({ shortlink: { forward_query: true } }), rules: deploymentRules },
  'deployments.get': inFormPath,
  'deployments.submissions': inFormPath,
  'deployments.submissionsExport': inFormPath,
  'deployments.submissionDelete': {
    works: async (scene) => ({ body: { id: await submittedForm(scene), submission: 1 } }),
    foreign: async (scene) => ({ body: { id: await deployment(scene, scene.stranger), submission: 1 } }),
    missing: async (scene) => ({ body: { id: await deployment(scene, scene.owner), submission: 1 } }),
  },

  ...siteSetUps,

  'webhooks.requests': inWebhookPath,
  'webhooks.request': inWebhookPath,
  'webhooks.redeliver': {
    works: async (scene) => ({ body: { id: await usedWebhook(scene, scene.owner), request_id: 1 } }),
    foreign: async (scene) => ({ body: { id: await usedWebhook(scene, scene.stranger), request_id: 1 } }),
    missing: async (scene) => ({ body: { id: await usedWebhook(scene, scene.owner), request_id: 2 } }),
    rules: /^id (must be the id of|is) a webhook/,
  },
  'webhooks.rotateSecret': {
    works: async (scene) => ({ body: { id: await usedWebhook(scene, scene.owner) } }),
    foreign: async (scene) => ({ body: { id: await usedWebhook(scene, scene.stranger) } }),
    missing: { body: { id: unusedId } },
    rules: /^id must be the id of a webhook/,
  },

  'session.signIn': {
    works: async ({ owner }) => ({ body: { email: owner.email, password: passwordOf(owner.email) } }),
    // The foreign thing here is the page that sent the request.
    foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
  },

  'keys.create': { rules: /^name must/ },
  'keys.revoke': {
    works: (scene) => key(scene, scene.owner),
    foreign: (scene) => key(scene, scene.stranger),
    missing: { body: { id: unusedId } },
  },
}

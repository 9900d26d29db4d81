import { randomUUID } from 'node:crypto'
import { consoleAreas } from '@svc/contract'
import { accountStore } from '../../src/areas/account/accounts/store.js'
import { tokenStore } from '../../src/areas/account/tokens/store.js'
import { passwordOf } from '../app.js'
import { credentialSetUps } from './credential-set-ups.js'
import { deploymentSetUps } from './deployment-set-ups.js'
import { domainSetUps } from './domain-set-ups.js'
import { packageSetUps } from './package-set-ups.js'
import type { Scene } from './scene.js'
import { unusedId, zone, type SetUp } from './set-up.js'
import { siteSetUps } from './site-set-ups.js'
import { smsSetUps } from './sms-set-ups.js'

/** Preparations for the calls of an operation, and the messages of its rules. Operations without either are not listed. */

const key = async ({ app }: Scene, account: Scene['owner']) => ({
  body: { id: (await tokenStore(app.database).create(account, randomUUID(), ['dns:read'])).id },
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

/** The path of an RRset in a zone. */
const addresses = { host: 'www', type: 'A' }

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

/** @param fields beyond the id */
const onFile = (isShared: boolean, fields: object = {}): SetUp => ({
  works: async (scene) => ({ body: { ...fields, id: await file(scene, scene.owner, isShared) } }),
  foreign: async (scene) => ({ body: { ...fields, id: await file(scene, scene.stranger, isShared) } }),
  missing: { body: { ...fields, id: unusedId } },
})

const fileRules = /^name must/

const recordRules = /^(type|host|value|ttl|priority)\b/

export const setUps: Readonly<Record<string, SetUp>> = {
  ...packageSetUps,
  ...smsSetUps,
  // ISO 4217 reserves XTS for tests: no source has a rate for it.
  'public.fx': { missing: { query: { symbols: 'XTS' } }, rules: /^(base|symbols) must be .*ISO 4217/ },
  'public.hash': { rules: /^value must have at most 8192 bytes/ },

  'whois.lookup': {
    missing: { query: { domain: 'unregistered.example' } },
    rules: /^domain must be (an|the) apex domain/,
  },

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
  'dns.recordList': { ...inZone, rules: /^(host|name) / },
  'dns.recordCreate': { ...inZone, rules: recordRules },
  'dns.zoneFileExport': inZone,
  'dns.zoneFilePreview': { ...inZone, rules: /^text\b/ },
  'dns.zoneFileImport': { ...inZone, rules: /^text\b/ },
  'dns.recordGet': onRecord,
  'dns.recordUpdate': { ...onRecord, rules: recordRules },
  'dns.recordDelete': onRecord,
  'dns.rrsetReplace': {
    works: async (scene) => ({ params: { ...(await zone(scene, scene.owner)), ...addresses } }),
    foreign: async (scene) => ({ params: { ...(await zone(scene, scene.stranger)), ...addresses } }),
    rules: /^(host|values|ttl|priority)\b/,
  },

  'files.get': {
    works: async (scene) => ({ params: { id: await file(scene, scene.owner) } }),
    foreign: async (scene) => ({ params: { id: await file(scene, scene.stranger) } }),
    missing: { params: { id: unusedId } },
  },
  'files.traffic': {
    works: async (scene) => ({ query: { id: await file(scene, scene.owner, true), days: 2 } }),
    foreign: async (scene) => ({ query: { id: await file(scene, scene.stranger, true) } }),
    missing: { query: { id: unusedId } },
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
    rules:
      /^(upload_id (is required|names a finished upload)|content (.*base64|may be given only once|results in)|size (is|needs|results in))/,
  },
  'files.uploadDiscard': {
    works: async (scene) => ({ body: { upload_id: await upload(scene, scene.owner) } }),
    foreign: async (scene) => ({ body: { upload_id: await upload(scene, scene.stranger) } }),
    missing: { body: { upload_id: unusedId } },
  },
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

  ...deploymentSetUps,
  ...domainSetUps,
  ...siteSetUps,
  ...credentialSetUps,

  'setup.create': {
    worksAlone: async ({ app, owner, stranger }) => {
      for (const account of [owner, stranger]) await accountStore(app.database).removeAdded(account)
      return { body: { ...consoleAreas.setup.create.example.body, code: app.issueSetupCode() } }
    },
    // The server has accounts.
    foreign: async () => ({}),
  },

  'session.signIn': {
    works: async ({ owner }) => ({ body: { email: owner.email, password: passwordOf(owner.email) } }),
    // The foreign thing here is the page that sent the request.
    foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
  },

  'keys.create': { rules: /^name (must|".*" is taken)/ },
  'keys.revoke': {
    works: (scene) => key(scene, scene.owner),
    foreign: (scene) => key(scene, scene.stranger),
    missing: { body: { id: unusedId } },
  },
}

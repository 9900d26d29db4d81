import { tokenStore } from '../../src/areas/account/tokens/store.js'
import { passwordOf } from '../app.js'
import type { Call, Scene } from './scene.js'

/** What each operation needs to be there before it is called, and what it refuses. An operation not listed fails the walk. */

export interface SetUp {
  /** Arranges what the example names; what has to be said otherwise than in the example. */
  readonly works?: (scene: Scene) => Promise<Call>
  /** A call for a resource of `stranger`. Needed where `forbidden` or `forbidden_zone` is declared. */
  readonly foreign?: (scene: Scene) => Promise<Call>
  /** A call for a resource that is nowhere. Needed where `not_found` is declared. */
  readonly missing?: Call | ((scene: Scene) => Promise<Call>)
  /** The messages with which the area's rules may refuse what the schema takes. */
  readonly rules?: RegExp
}

/** Larger than any id that a test comes to. */
const nobodys = 987_654_321

const key = async ({ app }: Scene, account: Scene['owner']) => ({
  body: { id: (await tokenStore(app.database).create(account, 'key', ['dns:read'])).id },
})

const session = async (scene: Scene, account: Scene['owner']) => ({ body: { id: (await scene.session(account)).id } })

let zones = 0

/** A zone of the account, verified. */
async function zone(scene: Scene, account: Scene['owner']): Promise<{ zone: string }> {
  const name = `walk-${++zones}.com`
  const made = await scene.call('POST', '/v1/dns/zones', {
    token: await scene.token(account, 'dns:write'),
    body: { zone: name },
  })
  if (made.body['data']?.status !== 'verified') throw new Error(`${name} could not be claimed: ${made.text}`)
  return { zone: name }
}

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
  missing: async (scene) => ({ params: { ...(await zone(scene, scene.owner)), id: String(nobodys) } }),
}

const recordRules = /^(type|host|value|ttl|priority)\b/

export const setUps: Readonly<Record<string, SetUp>> = {
  'catalogue.show': {},
  'catalogue.ai': {},
  'catalogue.openapi': {},
  'catalogue.llms': {},

  'public.time': {},
  'public.timestamp': {},
  'public.ip': {},
  'public.geo': {},
  // XTS is reserved for tests: ISO 4217 knows it, no source has a rate for it.
  'public.fx': { missing: { query: { symbols: 'XTS' } }, rules: /^(base|symbols) must be .*ISO 4217/ },
  'public.hash': { rules: /^value must have at most 8192 bytes/ },

  'account.me': {},
  'account.sessionList': {},
  'account.sessionRevoke': {
    works: (scene) => session(scene, scene.owner),
    foreign: (scene) => session(scene, scene.stranger),
    missing: { body: { id: nobodys } },
  },
  'account.sessionRevokeAll': {},
  'account.profileUpdate': { rules: /^value must (have at most 64 characters|not contain control characters)/ },

  'dns.zoneList': {},
  'dns.zoneClaim': { rules: /^zone\b/ },
  'dns.zoneGet': inZone,
  'dns.zoneVerify': inZone,
  'dns.zoneRelease': inZone,
  'dns.recordList': inZone,
  'dns.recordCreate': { ...inZone, rules: recordRules },
  'dns.recordGet': onRecord,
  'dns.recordUpdate': { ...onRecord, rules: recordRules },
  'dns.recordDelete': onRecord,

  'session.signIn': {
    works: async ({ owner }) => ({ body: { email: owner.email, password: passwordOf(owner.email) } }),
    // No resource is foreign here but the page that sent it.
    foreign: async () => ({ headers: { origin: 'http://elsewhere.example' } }),
  },
  'session.signOut': {},
  'session.whoAmI': {},

  'keys.list': {},
  'keys.create': { rules: /^name must/ },
  'keys.revoke': {
    works: (scene) => key(scene, scene.owner),
    foreign: (scene) => key(scene, scene.stranger),
    missing: { body: { id: nobodys } },
  },
}

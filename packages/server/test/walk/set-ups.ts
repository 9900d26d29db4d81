import { tokenStore } from '../../src/areas/account/token-store.js'
import { passwordOf } from '../app.js'
import type { Call, Scene } from './scene.js'

/** What each operation needs to be there before it is called, and what it refuses. An operation not listed fails the walk. */

export interface SetUp {
  /** Arranges what the example names; what has to be said otherwise than in the example. */
  readonly works?: (scene: Scene) => Promise<Call>
  /** A call for a resource of `stranger`. Needed where `forbidden` or `forbidden_zone` is declared. */
  readonly foreign?: (scene: Scene) => Promise<Call>
  /** A call for a resource that is nowhere. Needed where `not_found` is declared. */
  readonly missing?: Call
  /** The messages with which the area's rules may refuse what the schema takes. */
  readonly rules?: RegExp
}

/** Larger than any id that a test comes to. */
const nobodys = 987_654_321

const key = async ({ app }: Scene, account: Scene['owner']) => ({
  body: { id: (await tokenStore(app.database).create(account, 'key', ['dns:read'])).id },
})

const session = async (scene: Scene, account: Scene['owner']) => ({ body: { id: (await scene.session(account)).id } })

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

import { areas } from '@svc/contract'
import type { Scene } from './scene.js'
import { unusedId, type SetUp } from './set-up.js'

/** A credential of the account. @returns its id */
async function credential(scene: Scene, account: Scene['owner']): Promise<number> {
  const made = await scene.call('POST', '/v1/cred', {
    token: await scene.token(account, 'cred:write'),
    body: areas.cred.store.example.body,
  })
  return made.body['data'].id
}

/** The operations of credentials. */
export const credentialSetUps: Readonly<Record<string, SetUp>> = {
  'cred.list': { rules: /^platform must not contain control characters/ },
  'cred.store': { rules: /^(platform|label|username) must not contain control characters/ },
  'cred.delete': {
    works: async (scene) => ({ body: { id: await credential(scene, scene.owner) } }),
    foreign: async (scene) => ({ body: { id: await credential(scene, scene.stranger) } }),
    missing: { body: { id: unusedId } },
  },
}

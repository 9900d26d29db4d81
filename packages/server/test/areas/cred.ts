import { areas } from '@svc/contract'
import type { Scene } from '../walk/scene.js'
import { unusedId, type AreaParts } from './area-parts.js'

/** A credential of the account. @returns its id */
async function credential(scene: Scene, account: Scene['owner']): Promise<number> {
  const made = await scene.call('POST', '/v1/cred', {
    token: await scene.token(account, 'cred:write'),
    body: areas.cred.store.example.body,
  })
  return made.body['data'].id
}

export const credParts: AreaParts = {
  setUps: {
    'cred.list': { rules: /^platform must not contain control characters/ },
    'cred.store': { rules: /^(platform|label|username) must not contain control characters/ },
    'cred.update': {
      works: async (scene) => ({ body: { id: await credential(scene, scene.owner), username: null, secret: 'new' } }),
      foreign: async (scene) => ({ body: { id: await credential(scene, scene.stranger) } }),
      missing: { body: { id: unusedId } },
      rules: /^((platform|label|username) must not contain control characters|Another credential of the account)/,
    },
    'cred.delete': {
      works: async (scene) => ({ body: { id: await credential(scene, scene.owner) } }),
      foreign: async (scene) => ({ body: { id: await credential(scene, scene.stranger) } }),
      missing: { body: { id: unusedId } },
    },
  },
  fill: async ({ api }) => void (await api('POST', '/cred', areas.cred.store.example.body)),
}

import { send } from '../raw-http.js'
import type { Scene } from '../walk/scene.js'
import { unusedId, type AreaParts } from './area-parts.js'
import { smsRows } from './sms-settings.js'

/** A forwarder key of the account, the only one. @returns its id */
async function forwarderKey(scene: Scene, account: Scene['owner']): Promise<number> {
  await removeKeys(scene, account)
  const token = await scene.token(account, 'sms:write')
  const made = await scene.call('POST', '/v1/sms/keys', { token, body: { label: 'Phone' } })
  return made.body['data'].id
}

/** Revokes the keys of the account, which may have five. */
async function removeKeys(scene: Scene, account: Scene['owner']): Promise<void> {
  const token = await scene.token(account, 'sms:write')
  const { body } = await scene.call('GET', '/v1/sms/keys', { token })
  for (const { id } of body['data'].keys as { id: number }[])
    await scene.call('DELETE', `/v1/sms/keys?id=${String(id)}`, { token })
}

export const smsParts: AreaParts = {
  setUps: {
    'sms.keyCreate': {
      isNeededEachTime: true,
      works: async (scene) => {
        await removeKeys(scene, scene.owner)
        return {}
      },
      rules: /^(The account has 5 forwarder keys|(label|signing_key) must not contain control characters)/,
    },
    'sms.keyRevoke': {
      works: async (scene) => ({ query: { id: await forwarderKey(scene, scene.owner) } }),
      foreign: async (scene) => ({ query: { id: await forwarderKey(scene, scene.stranger) } }),
      missing: { query: { id: unusedId } },
    },
    'sms.signingKeySet': {
      works: async (scene) => ({ body: { id: await forwarderKey(scene, scene.owner), signing_key: 'k8Yz2QpW' } }),
      foreign: async (scene) => ({ body: { id: await forwarderKey(scene, scene.stranger), signing_key: null } }),
      missing: { body: { id: unusedId, signing_key: null } },
      rules: /^signing_key must not contain control characters/,
    },
  },
  fill: async ({ url, api }) => {
    await api('POST', '/sms/keys', { label: 'signed', signing_key: 'k8Yz2QpW' })
    const { id, key } = await api('POST', '/sms/keys', { label: 'revoked' })
    const headers = { 'content-type': 'application/json' }
    await send(url, 'POST', `/sms/${String(key)}`, { headers, body: '{"from":"+491701","text":"hello"}' })
    await api('DELETE', `/sms/keys?id=${String(id)}`)
  },
  settings: { rows: smsRows, defaults: { sms: { retentionDays: 365, messagesMax: 100_000 } } },
}

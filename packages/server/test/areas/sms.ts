import { send } from '../raw-http.js'
import type { Scene } from '../walk/scene.js'
import { unusedId, type AreaParts } from './area-parts.js'
import { smsRows } from './sms-settings.js'

/** A forwarder key of the account, the only one. */
async function forwarderKey(scene: Scene, account: Scene['owner']): Promise<{ id: number; key: string }> {
  await removeKeys(scene, account)
  const token = await scene.token(account, 'sms:write')
  const made = await scene.call('POST', '/v1/sms/keys', { token, body: { label: 'Phone' } })
  return made.body['data']
}

/** Revokes the keys of the account, which may have five. */
async function removeKeys(scene: Scene, account: Scene['owner']): Promise<void> {
  const token = await scene.token(account, 'sms:write')
  const { body } = await scene.call('GET', '/v1/sms/keys', { token })
  for (const { id } of body['data'].keys as { id: number }[])
    await scene.call('DELETE', `/v1/sms/keys?id=${String(id)}`, { token })
}

/** A message of the account. @returns its id */
async function message(scene: Scene, account: Scene['owner']): Promise<number> {
  const { key } = await forwarderKey(scene, account)
  await scene.call('POST', `/sms/${key}`, { body: { from: '+491701', text: 'hello' } })
  const token = await scene.token(account, 'sms:read')
  const { body } = await scene.call('GET', '/v1/sms/messages?limit=1', { token })
  return body['data'].messages[0].id
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
      works: async (scene) => ({ query: { id: (await forwarderKey(scene, scene.owner)).id } }),
      foreign: async (scene) => ({ query: { id: (await forwarderKey(scene, scene.stranger)).id } }),
      missing: { query: { id: unusedId } },
    },
    'sms.signingKeySet': {
      works: async (scene) => ({ body: { id: (await forwarderKey(scene, scene.owner)).id, signing_key: 'k8Yz2QpW' } }),
      foreign: async (scene) => ({ body: { id: (await forwarderKey(scene, scene.stranger)).id, signing_key: null } }),
      missing: { body: { id: unusedId, signing_key: null } },
      rules: /^signing_key must not contain control characters/,
    },
    'sms.messagesDelete': { works: async (scene) => ({ body: { ids: [await message(scene, scene.owner)] } }) },
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
